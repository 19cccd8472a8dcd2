/** The rounds of a search: one new seed each, until the time is up. */

export interface Searching {
  /** No round starts after that; a started one is finished. At least one is run. */
  readonly lastsMs: number;
  readonly now: () => number;
  readonly freshSeed: () => number;
  /** One round; false when something was found. */
  readonly run: (seed: number) => Promise<boolean>;
  readonly say: (line: string) => void;
}

/** Seeds under which something failed. */
export async function searchRounds({ lastsMs, now, freshSeed, run, say }: Searching): Promise<number[]> {
  const until = now() + lastsMs;
  const failing: number[] = [];
  let rounds = 0;
  do {
    const seed = freshSeed();
    rounds++;
    say(`round ${rounds}: HOLDFAST_SEED=${seed}`);
    if (!(await run(seed))) {
      failing.push(seed);
      say(`round ${rounds} failed: HOLDFAST_SEED=${seed}`);
    }
  } while (now() < until);
  say(
    failing.length === 0
      ? `Nothing found; rounds: ${rounds}.`
      : `${failing.length} of ${rounds} rounds failed; HOLDFAST_SEED=${failing.join(', ')}`,
  );
  return failing;
}
