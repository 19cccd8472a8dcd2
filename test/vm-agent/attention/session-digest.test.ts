/** What a digest looks at: a viewer may ask for one as often as it may send messages. */
import { describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import { sessionDigest } from '../../../vm-agent/attention/session-digest.ts';

const BEGIN = Date.parse('2026-11-18T09:00:00.000Z');
const SECOND = 1000;

/** One command a second, each of which takes half of that; the last one still runs. */
function sessionWith(count: number) {
  let looks = 0;
  const list = Array.from({ length: count }, (_, i): SessionCommand => {
    const command: SessionCommand = {
      number: i + 1,
      commandLine: 'make',
      startedAt: '',
      durationMs: i === count - 1 ? null : SECOND / 2,
      exitCode: i % 2,
      outputFrom: 10 * i,
      outputTo: 10 * i + 9,
      verified: true,
    };
    return Object.defineProperty(command, 'startedAt', {
      get() {
        looks++;
        return new Date(BEGIN + i * SECOND).toISOString();
      },
    });
  });
  const notices = { record: { printedSince: () => 0 }, described: {} };
  const session = { identity: { id: 's1' }, name: 'build', commands: { list }, notices };
  return {
    digest: (since: number) => sessionDigest(session, since),
    get looks() {
      return looks;
    },
  };
}

describe('a digest', () => {
  it('counts the commands that ended since then, and not the one that runs', () => {
    const session = sessionWith(10);
    expect(session.digest(0)).toMatchObject({ finished: 9, failed: 4 });
    // The sixth command ended half a second after it began.
    expect(session.digest(BEGIN + 5.5 * SECOND)).toMatchObject({ finished: 4, failed: 2 });
    expect(session.digest(BEGIN + 8.5 * SECOND)).toMatchObject({ finished: 1, failed: 0 });
    expect(session.digest(BEGIN + 9 * SECOND)).toBeNull();
  });

  it('[X32] [SEC15] looks at no more commands than it tells of, the one that runs and one before', () => {
    const session = sessionWith(200);
    expect(session.digest(BEGIN + 1e9)).toBeNull();
    expect(session.looks).toBeLessThanOrEqual(2);
  });
});
