# Each .ll file here is recorded by the pass, verified, compiled to an object, and held against its own CHECK lines.
import lit.formats

config.name = "vestige pass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll"]
config.test_exec_root = lit_config.params["output"]
plugin = lit_config.params["plugin"]
record = f"opt-19 -load-pass-plugin={plugin} -passes=vestige,verify -S %s -o %t.ll"
config.substitutions.append(("%plugin", plugin))
config.substitutions.append(("%check", f"{record} && llc-19 -filetype=obj %t.ll -o %t.o && FileCheck-19 %s < %t.ll"))
