/** When what happened while an agent was replaced: from the log of keeper and agent, and as the client saw it. */
import type { HeadlessClient } from '../../test/support/headless-client.ts';
import type { WatchedSession } from './watched-session.ts';

interface Moment {
  /** Of `performance.now()`. */
  readonly at: number;
  readonly what: string;
}

export class Timeline implements Disposable {
  readonly #seen: Moment[] = [];
  readonly #stop: () => void;

  constructor(client: HeadlessClient, watched: WatchedSession) {
    let last = '';
    this.#stop = client.client.onChange(() => {
      const { state } = client.client;
      const agent = state.name === 'live' ? `agent ${state.agent.state}` : state.name;
      const now = `client: ${agent}, session ${watched.session.state.name}`;
      if (now !== last) this.#seen.push({ at: performance.now(), what: now });
      last = now;
    });
  }

  /** In order, in ms since `from`. The log has whole milliseconds. */
  lines(logs: readonly string[], from: number): string[] {
    const logged = logs.flatMap((text) => text.split('\n')).flatMap(momentOf);
    return [...logged, ...this.#seen]
      .filter(({ at }) => at >= from - 1)
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, what }) => `${(at - from).toFixed(0).padStart(8)} ms  ${what}`);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}

function momentOf(line: string): Moment[] {
  if (!line.startsWith('{')) return [];
  const { time, event, state = '' } = JSON.parse(line);
  return [{ at: Date.parse(time) - performance.timeOrigin, what: `log: ${event} ${state}`.trimEnd() }];
}
