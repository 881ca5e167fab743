#include "rows/row_tables.h"

namespace vestige::cli {

std::vector<RowTable> row_tables() {
  return {function_rows(),
          block_rows(),
          statement_rows(),
          walk_rows(),
          value_rows(),
          top_rows(),
          run_rows(),
          run_summary_rows(),
          pattern_rows(),
          pattern_summary_rows(),
          library_rows(),
          reference_rows(),
          message_rows(),
          cache_line_rows(),
          variable_list_rows(),
          variable_change_rows(),
          variable_at_rows(),
          sliced_rows(),
          instance_rows(),
          member_rows(),
          answer_rows(),
          match_rows(),
          hot_path_rows(),
          hot_stream_rows(),
          machine_statement_rows(),
          machine_line_rows(),
          sync_rows(),
          sharing_rows(),
          conflict_rows(),
          race_rows(),
          descriptor_rows(),
          context_rows()};
}

}  // namespace vestige::cli
