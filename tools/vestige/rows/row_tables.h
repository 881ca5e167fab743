// Every table of rows that a command answers with: what documentation, and importers of rows, go
// by. Each is declared where its rows are made.
#pragma once

#include "rows/rows.h"

namespace vestige::cli {

RowTable function_rows();
RowTable block_rows();
RowTable statement_rows();
RowTable walk_rows();
RowTable value_rows();
RowTable top_rows();
RowTable run_rows();
RowTable run_summary_rows();
RowTable pattern_rows();
RowTable pattern_summary_rows();
RowTable library_rows();
RowTable reference_rows();
RowTable message_rows();
RowTable cache_line_rows();
RowTable variable_list_rows();
RowTable variable_change_rows();
RowTable variable_at_rows();
RowTable sliced_rows();
RowTable instance_rows();
RowTable member_rows();
RowTable answer_rows();
RowTable match_rows();
RowTable hot_path_rows();
RowTable hot_stream_rows();
RowTable machine_statement_rows();
RowTable machine_line_rows();
RowTable sync_rows();
RowTable sharing_rows();
RowTable conflict_rows();
RowTable race_rows();
RowTable descriptor_rows();
RowTable context_rows();

// All of them, in this order.
std::vector<RowTable> row_tables();

}  // namespace vestige::cli
