// The order of accesses (record/runtime/order.h): in the body that tells values, a call before each
// access that another thread may see, and one behind it, both only in threads that tell the order.
// Between the two nobody else touches that memory.
#pragma once

#include "bodies.h"
#include "program/library.h"

namespace vestige {

class RuntimeCalls;

// By statement: whether it is an access that another thread may see. Local variables whose
// addresses stay in the function, and constants, are nobody else's business. Of the function as it
// is.
std::vector<bool> shared_accesses(const Layout& layout);

// `next` is the alloca of the ring pointer. Before atomic operations get their stamps, which must
// be taken between the two calls.
void order_accesses(const Body& body, const std::vector<bool>& shared, const RuntimeCalls& thread,
                    llvm::Value* next);

// What a library function read and wrote, when it is back. `measures` are those of the call,
// `before` is reached only when unrecorded code ran.
void order_library_call(llvm::Instruction* before, llvm::CallBase& call, const LibraryCall& library,
                        llvm::ArrayRef<llvm::Value*> measures, uint32_t statement,
                        const RuntimeCalls& thread, llvm::Value* next);

}  // namespace vestige
