package golden

// Python is what Python's generator drew from one seed, in the order of the fields.
type Python struct {
	Seed    int64       `json:"seed"`
	Floats  []float64   `json:"random"`
	Bits    [][2]uint64 `json:"getrandbits"` // how many bits, and which
	Below   [][2]int    `json:"randbelow"`   // what it is below, and the number
	Uniform []float64   `json:"uniform"`     // between 10.5 and 99.25
	Of4     [][]float64 `json:"sample_2_of_4"`
	Of3     [][]float64 `json:"sample_2_of_3"`
	Letters string      `json:"choices_10_lowercase"`
	Shuffle []int       `json:"shuffle_20"`
	Of1000  []int       `json:"sample_50_of_1000"`
	Next    float64     `json:"next_random"`
}

// Python reads the draws of all seeds.
func (f Folder) Python() ([]At[Python], error) { return elements[Python](f, PythonFile) }

// NumPy is what NumPy's generator drew from one seed, once for training and once, begun anew, for validation.
type NumPy struct {
	Seed       uint32  `json:"seed"`
	Calls      []Call  `json:"calls"`
	Validation [][]int `json:"val"` // of 500
}

// Call is one draw of tasks.
type Call struct {
	Range   [2]int `json:"range"`
	Size    int    `json:"size"`
	Replace bool   `json:"replace"` // a number may be drawn twice; verl-agent draws without
	Result  []int  `json:"result"`
}

// NumPy reads the draws of all seeds.
func (f Folder) NumPy() ([]At[NumPy], error) { return elements[NumPy](f, NumPyFile) }
