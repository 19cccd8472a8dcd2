/** Uses the processor for a given share of the time, in slices of 10 ms, and does nothing else. */
const share = Number(process.argv[2]);
const SLICE_MS = 10;

function work(): void {
  const until = performance.now() + SLICE_MS * share;
  while (performance.now() < until);
  setTimeout(work, SLICE_MS * (1 - share));
}

work();
