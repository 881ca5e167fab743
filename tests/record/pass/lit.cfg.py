# Each .ll file here is recorded by the pass, verified and compiled to an object, with both bodies of each function and with the
# one that records paths; the latter is held against the file's own CHECK lines.
import lit.formats

config.name = "vestige pass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll"]
config.test_exec_root = lit_config.params["output"]
plugin = lit_config.params["plugin"]
record = f"opt-19 -load-pass-plugin={plugin} -passes=vestige-paths,verify -S %s -o %t.ll"
config.substitutions.append(("%plugin", plugin))
both = f"opt-19 -load-pass-plugin={plugin} -passes=vestige,verify -S %s -o %t.both.ll && llc-19 -filetype=obj %t.both.ll -o %t.both.o"
config.substitutions.append(("%check", f"{both} && {record} && llc-19 -filetype=obj %t.ll -o %t.o && FileCheck-19 %s < %t.ll"))
