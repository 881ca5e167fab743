// Hot subpaths and hot data streams as rows and as pictures.
#pragma once

#include "command_line.h"
#include "hot_picture.h"
#include "output.h"
#include "vestige/hot.h"

namespace vestige::cli {

void print_hot_paths(const Trace& trace, const HotPaths& hot, Format format, Output& out);
HotPicture picture_of(const Trace& trace, const HotPaths& hot);

void print_hot_streams(const Trace& trace, const HotStreams& hot, Format format, Output& out);
HotPicture picture_of(const Trace& trace, const HotStreams& hot);

}  // namespace vestige::cli
