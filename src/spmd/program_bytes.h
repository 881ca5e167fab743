// The functions of a form as bytes: what their statements are called, where they stand, and the
// pieces of paths with their accesses.
#pragma once

#include "spmd/form.h"

namespace vestige::spmd {

Bytes encode_program(const Form& form);
// False when the bytes make no sense.
bool decode_program(ByteView bytes, Form& form);

}  // namespace vestige::spmd
