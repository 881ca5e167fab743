// The program's end waits for its other threads, for a moment: what they would still do is
// recorded.
#pragma once

namespace vestige::runtime {

// In a forked child: nobody ends the program any longer.
void forget_exit();

}  // namespace vestige::runtime
