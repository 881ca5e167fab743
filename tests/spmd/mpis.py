"""The MPIs that tests run with: those of packages.txt. None may be missing."""

import os
import pathlib
import shutil
import subprocess
import sys


class Mpi:
    def __init__(self, name, bin_folder):
        self.name, self.bin = name, pathlib.Path(bin_folder).resolve()
        self.compiler, launcher = shutil.which(f"mpicc.{name}"), shutil.which(f"mpirun.{name}")
        if not (self.compiler and launcher):
            sys.exit(f"there is no {name}; install what packages.txt lists")
        flags = ["--allow-run-as-root", "--oversubscribe"] if name == "openmpi" else []
        self.launcher = [launcher, *flags, "-n"]
        driver = str(self.bin / "vestige-cc")
        # Under AddressSanitizer, MPI leaves memory behind, and UCX must not put its own malloc in its place.
        self.environment = {**os.environ, "OMPI_CC": driver, "MPICH_CC": driver, "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "ASAN_OPTIONS": "detect_leaks=0", "UCX_MEM_EVENTS": "no",
                            "UCX_MEM_MMAP_HOOK_MODE": "none"}

    def compile(self, *words):
        run(self.compiler, *words, env=self.environment)

    def record(self, ranks, trace, *command):
        run(*self.launcher, ranks, self.bin / "vestige", "record", "-q", "-o", trace, "--", *command, env=self.environment)


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], check=False, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout
