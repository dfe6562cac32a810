package gpu

import "context"

// PolicyConfig sets up a Policy.
type PolicyConfig struct {
	Model   string // folder of the model, in Hugging Face's layout
	Adapter string // folder of a PEFT adapter, merged into the weights; "" for none
	DType   string // of weights and states: "float32", "bfloat16"; "" is float32
	Eager   bool   // attention by plain operations, see TrainConfig
	// CacheTokens bounds the tokens whose keys and values are kept, of requests under way and of prompts that may come
	// again; a single request may go beyond. 0 follows from the device's memory. It changes no result.
	CacheTokens int
}

// Policy chooses among given continuations and draws free ones. Its methods may be called from any goroutine; what is
// asked at the same time is computed in one batch, a request that ends makes room for one that waits, and what prompts
// have in common with those before them is not computed again. On the CPU in fp32 a result is the same to the last bit
// alone, in any company and whatever was asked before; on a GPU and in bf16 it is the same up to rounding. A call whose
// context ends gives up its requests and leaves those of others alone.
type Policy interface {
	// Choose decodes through the trie of each request's candidates: at every node the child with the highest logit, no
	// pass where there is one child. With a temperature, or where probabilities are asked for, all nodes are computed,
	// in one pass behind the prompt.
	Choose(ctx context.Context, requests []Choice) ([]Chosen, error)
	// Sample draws free continuations.
	Sample(ctx context.Context, requests []Sampling) ([]Sampled, error)
	// Close waits for what is being computed, fails what waits and frees the device's memory.
	Close() error
}

// Score says what the log-probability of a candidate is.
type Score string

const (
	// ScoreNodes is the sum over the decided nodes of the log-probability among the node's children; forced tokens
	// count nothing. The probabilities of all candidates add up to 1.
	ScoreNodes Score = "nodes"
	// ScoreSequence is the sum over all of the candidate's tokens of the log-probability in the whole vocabulary: what
	// the model gives to exactly this text. The probabilities of all candidates add up to less than 1.
	ScoreSequence Score = "sequence"
)

// Choice is a prompt and what may follow it.
type Choice struct {
	Prompt     []int32   // token ids
	Candidates [][]int32 // token ids; none is a prefix of another
	// Score asks for the log-probabilities of all candidates. "" does not.
	Score Score
	// Temperature draws the candidate with its probability by Score ("" is ScoreNodes) to the power of 1/Temperature,
	// renormalised: MinTemperature to MaxTemperature. 0 takes the greedy way through the trie, whatever Score is.
	Temperature float32
	Seed        uint64 // of this request's draw
}

// Chosen is the answer to a Choice.
type Chosen struct {
	Index    int       // into Candidates
	LogProb  float32   // natural log, of the candidate by Score; "" is ScoreNodes
	LogProbs []float32 // the same of all candidates, where Score asks for it
	Drawn    float32   // log-probability in the distribution that the candidate was drawn from; 0 at temperature 0
}

// Sampling asks for a free continuation.
type Sampling struct {
	Prompt    []int32
	MaxTokens int
	Stop      []int32 // token ids that end the text; the one met is the last of Tokens
	// StopSequences end the text where it ends with one of them; the prompt does not count.
	StopSequences [][]int32
	Temperature   float32 // 0 is greedy, else MinTemperature to MaxTemperature
	TopK          int     // draws from the largest logits only, ties go to the smaller token; 0: from all
	TopP          float32 // after TopK, draws from the fewest tokens that together have this probability; 0 or 1: from all
	Seed          uint64  // of this request alone
	Best          int     // how many of the likeliest tokens are told at each place, at most MaxBest
}

// Bounds of Sampling and Choice.
const (
	MinTemperature = 1e-4
	MaxTemperature = 1e4
	MaxBest        = 64
)

// Sampled is a free continuation.
type Sampled struct {
	Tokens   []int32
	LogProbs []float32 // of each token, natural log, at temperature 1 over the whole vocabulary
	Drawn    []float32 // of each token in the distribution that it was drawn from, as temperature, TopK and TopP make it
	Best     [][]TokenLogProb
	Stopped  bool // by a stop token or sequence rather than by MaxTokens
}

// TokenLogProb is a token and its log-probability at temperature 1.
type TokenLogProb struct {
	Token   int32
	LogProb float32
}
