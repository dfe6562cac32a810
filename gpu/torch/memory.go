package torch

/*
#include "memory.h"
*/
import "C"

// Memory is what the process's tensors take of a device, in bytes. On the meta device there is none.
type Memory struct {
	Allocated int64 // by tensors, in the blocks that they got: a little more than their elements
	Peak      int64 // the most that Allocated was since the engine began or ResetPeak
	// Reserved is what CUDA's allocator took from the device and keeps to give again, tensors included, ReservedPeak
	// its peak; on the CPU both are 0.
	Reserved, ReservedPeak int64
	Total                  int64 // of the GPU; 0 on the CPU
}

// Memory counts the tensors of the engine's device, those of other engines on it included.
func (e *Engine) Memory() Memory {
	var m C.hone_memory
	check("memory", C.hone_memory_figures(e.cdevice, &m))
	return Memory{
		Allocated: int64(m.allocated), Peak: int64(m.peak), Reserved: int64(m.reserved), ReservedPeak: int64(m.reserved_peak),
		Total: int64(m.total),
	}
}

// ResetPeak has Peak and ReservedPeak begin again at what is there now.
func (e *Engine) ResetPeak() { check("reset peak", C.hone_memory_reset_peak(e.cdevice)) }

// Trim gives the system back what the C library keeps of freed tensors' memory on the CPU. It would be taken again
// without a page fault, so this is for those who need it elsewhere, and for who measures.
func (e *Engine) Trim() { C.hone_memory_trim() }
