"""Which races are artifacts: scenarios with known answers and random programs, against a plain twin.

    artifacts.py BIN TWIN scenarios LEVEL REPEAT
    artifacts.py BIN TWIN random LEVEL COUNT [FIRST]

Of each recording, the artifacts and what they follow from are those of naive_artifacts. The scenarios also say which
variables' races are real and which are artifacts. The random programs are made by artifact_programs.py.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import artifact_programs

HERE = pathlib.Path(__file__).parent / "programs"


def run(*command, codes=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    if done.returncode not in codes:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


class Check:
    def __init__(self, binaries, twin, folder):
        self.vestige = pathlib.Path(binaries) / "vestige"
        self.twin = pathlib.Path(twin)
        self.folder = pathlib.Path(folder)
        self.wrong = []
        self.counts = collections.Counter()
        self.classes, self.hits = collections.Counter(), collections.Counter()  # programs that have one; with artifacts

    def build(self, source, level):
        target = self.folder / "program"
        run(self.vestige.parent / "vestige-cc", "-g", level, "-w", "-pthread", "-fopenmp", source, "-o", target)
        return target

    def races(self, what, program, *arguments):
        """Records once; gives the pairs, after comparing them with the twin's."""
        trace = self.folder / "t.vst"
        run(self.vestige, "record", "-q", "--what", "full", "-o", trace, "--", program, *arguments)
        done = json.loads(run(self.vestige, "races", "-q", trace, "--json", codes=(0, 1)).stdout)
        pairs = done["pairs"]
        mine = [f"{p['a']['id']} {p['a']['kind']} {p['b']['id']} {p['b']['kind']} "
                f"{'first' if p['artifact_of'] is None else p['artifact_of']}" for p in pairs]
        twin = run(self.twin, trace)
        theirs = twin.stdout.split("\n")[:-1]
        self.counts["traces"] += 1
        self.counts["races"] += len(pairs)
        self.counts["artifacts"] += sum(p["artifact"] for p in pairs)
        self.counts["traces with artifacts"] += any(p["artifact"] for p in pairs)
        self.counts["races in circles"] += int(twin.stderr.split(", ")[-1].split()[0])
        if mine != theirs or done.get("artifacts_limit"):
            kept = self.folder.parent / f"artifacts-disagreement-{what}.vst"
            kept.write_bytes(trace.read_bytes())
            self.wrong.append(f"{what}: {mine} but the twin says {theirs}; see {kept}")
        return pairs

    def scenarios(self, level, repeat):
        program = self.build(HERE / "artifacts.c", level)
        for line in run(program, "list").stdout.split("\n")[:-1]:
            name, real, artifacts = line.split()
            wanted = {variable: False for variable in real.split(",")}
            wanted |= {variable: True for variable in artifacts.split(",") if variable != "-"}
            for _ in range(repeat):
                found = collections.defaultdict(set)
                for pair in self.races(name, program, name):
                    variable = (pair["witness"]["variable"] or "?").split("[")[0].split(".")[0]
                    if variable != "sink":
                        found[variable].add(pair["artifact"])
                if found != {variable: {artifact} for variable, artifact in wanted.items()}:
                    self.wrong.append(f"{name}: {dict(found)}, should be {wanted}")

    def random(self, level, count, first):
        for seed in range(first, first + count):
            source = self.folder / "random.c"
            text, classes = artifact_programs.make(seed)
            source.write_text(text)
            pairs = self.races(f"seed-{seed}", self.build(source, level))
            for one in classes:
                self.classes[one] += 1
                self.hits[one] += any(p["artifact"] for p in pairs)


def main():
    binaries, twin, what, level, count, *first = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, twin, folder)
        if what == "scenarios":
            check.scenarios(level, int(count))
        else:
            check.random(level, int(count), int(first[0]) if first else 0)
        for name, number in sorted(check.counts.items()):
            print(f"{name}: {number}")
        for name, number in sorted(check.classes.items()):
            print(f"programs with {name}: {number}, of which with artifacts: {check.hits[name]}")
        sys.exit("\n".join(text[:1500] for text in check.wrong[:20]) if check.wrong else 0)


if __name__ == "__main__":
    main()
