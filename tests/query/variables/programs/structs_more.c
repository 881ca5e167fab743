// Globals that only other files use.
#include "structs.h"

int NR = 40;
double rate = 2.5;
struct elsewhere elsewhere = {{1, 2}, "begin"};
struct point line_of_points[4] = {{1, 1}, {2, 2}};

void use_elsewhere(void) { elsewhere.at.y += bump(7); }
