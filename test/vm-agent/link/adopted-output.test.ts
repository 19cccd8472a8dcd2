/** A session that runs already when the agent starts: its clients come back and continue where they were. */
import { describe, expect, it } from 'vitest';
import { RETURN_MAX_BYTES, RETURN_WITHIN_MS } from '../../../vm-agent/output/session-output.ts';
import { ScriptedRelay } from './scripted-relay.ts';

const HISTORY_BYTES = 1000;
const EXTRA_BYTES = 2 * RETURN_MAX_BYTES;
/** What the keeper has. */
const START = 5_000;
const KEPT = 3_000;

function adopted() {
  const relay = new ScriptedRelay({ historyBytes: HISTORY_BYTES });
  const spec = { command: 'sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
  const times = { createdAt: new Date(0).toISOString(), lastActivityAt: new Date(0).toISOString() };
  relay.agent.sessions.adopt({
    id: 's1',
    handle: 1,
    spec,
    metadata: {
      ...{
        ...spec,
        ...times,
        name: 'n',
        key: null,
        place: 0,
        title: null,
        exit: null,
        widths: '17-clusters',
      },
      closeAt: null,
    },
    start: START,
    end: START + KEPT,
    extraBytes: EXTRA_BYTES,
    ledger: [],
    screen: { offset: START, size: spec.size, drawing: new Uint8Array(0), silentUntil: START + KEPT },
    commands: undefined,
    assist: undefined,
    spawn: relay.spawner.spawn,
  });
  relay.agent.linkOpened();
  const prints = (bytes: number) => {
    relay.pty.prints('x'.repeat(bytes));
    relay.clock.advance(20);
  };
  prints(KEPT);
  /** How its replay begins: with output from this offset on, or with a screen. */
  const resumes = (from: number) => {
    relay.clear();
    relay.attaches(1, 's1', { from, epoch: relay.agent.sessions.epoch });
    const message = relay.told.find(({ type }) => type === 'scrollback');
    return message?.type === 'scrollback' ? { kind: message.kind, from: message.from } : undefined;
  };
  return { relay, prints, resumes };
}

describe('the program of an adopted session', () => {
  it('[F27] may print for a while before its clients are back, and then waits for them', () => {
    const { relay, prints } = adopted();
    prints(RETURN_MAX_BYTES - 1);
    expect(relay.pty.paused).toBe(false);
    prints(1);
    expect(relay.pty.paused).toBe(true);
    const handle = relay.attaches(1, 's1', { from: START + KEPT });
    // From now on it waits for acknowledgements, as always.
    relay.acknowledges(1, handle, START + KEPT + RETURN_MAX_BYTES);
    expect(relay.pty.paused).toBe(false);
  });

  it('[F27] [S3] waits no longer than clients take', () => {
    const { relay, prints } = adopted();
    prints(RETURN_MAX_BYTES);
    expect(relay.pty.paused).toBe(true);
    relay.clock.advance(RETURN_WITHIN_MS);
    expect(relay.pty.paused).toBe(false);
    prints(RETURN_MAX_BYTES);
    expect(relay.pty.paused).toBe(false);
  });

  it('[F27] [K2] leaves more than the usual history for them, but not for long', () => {
    const { relay, prints, resumes } = adopted();
    prints(RETURN_MAX_BYTES);
    expect(resumes(START)).toEqual({ kind: 'delta', from: START });
    relay.clock.advance(RETURN_WITHIN_MS);
    const { bufferBytes } = relay.agent.sessions.find('s1').info;
    expect(bufferBytes).toBe(HISTORY_BYTES);
  });
});
