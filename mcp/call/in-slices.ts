/** Waits for as long as a caller wants, in slices of the time for which the agent may be asked at once. */
import type { Cancellation, ToolHost } from './tool-host.ts';

/** Two clocks measure a wait differently. */
const EARLY_MS = 100;

interface Sliced<A> {
  readonly host: Pick<ToolHost, 'clock' | 'waitAtOnceMs'>;
  readonly withinMs: number;
  readonly cancelled: Cancellation;
  readonly ask: (waitMs: number) => Promise<A>;
  readonly isPending: (answer: A) => boolean;
}

export async function inSlices<A>({ host, withinMs, cancelled, ask, isPending }: Sliced<A>): Promise<A> {
  const { clock, waitAtOnceMs } = host;
  const end = clock.now() + withinMs;
  for (;;) {
    const askedAt = clock.now();
    const waitMs = Math.round(Math.min(waitAtOnceMs, Math.max(0, end - askedAt)));
    const answer = await ask(waitMs);
    // An agent that answers before its time does not want to be asked again.
    const isEarly = clock.now() - askedAt < waitMs - EARLY_MS;
    if (!isPending(answer) || isEarly || clock.now() >= end || cancelled.aborted) return answer;
  }
}
