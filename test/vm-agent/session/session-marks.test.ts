/** The nonce of a session's marks, from its creation over restarts of the agent to its clients. */
import { describe, expect, it } from 'vitest';
import { decodeMetadata, encodeMetadata, type SessionMetadata } from '../../../vm-agent/disk/metadata.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { reviveSession } from '../../../vm-agent/kept-state.ts';
import type { SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import { acceptable, sessionEnvironment } from '../../../vm-agent/pty/session-environment.ts';
import { SessionManager } from '../../../vm-agent/session/session-manager.ts';
import type { MarkShell } from '../../../vm-agent/shell/shell-marks.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeSpawner } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';
import { someMetadata } from '../disk/some-session.ts';
import { ScriptedRelay } from '../link/scripted-relay.ts';

const SIZE = { cols: 80, rows: 24 };

/** Starts shells in another way, and writes down which nonce and number it was given. */
class Marking {
  readonly given: { readonly nonce: string; readonly firstNumber: number }[] = [];
  readonly spawner = fakeSpawner();
  readonly kept: SessionMetadata[] = [];
  readonly manager: SessionManager;

  constructor() {
    const markShell: MarkShell = (spec, marks) => {
      this.given.push(marks);
      return { ...spec, args: ['--init-file', 'ours'], env: { ...spec.env, HOLDFAST_MARKS: marks.nonce } };
    };
    this.manager = new SessionManager({
      spawn: this.spawner.spawn,
      markShell,
      openScreen: fakeScreens().openScreen,
      keep: (session) => {
        this.kept.push(session.metadata);
        return keepNothing(session);
      },
      clock: new FakeClock(),
      limits: {
        historyBytes: 1000,
        maxSessions: 3,
        whenFull: 'refuse',
        orphanGraceMs: 0,
        idleTimeoutMs: 0,
        exitedKeepMs: 0,
      },
      defaults: { command: '/bin/bash', cwd: '/', env: { TERM: 'xterm-256color' } },
      events: {
        resized() {},
        inputTaken() {},
        driverChanged() {},
        commandEnded() {},
        attentionChanged() {},
        described() {},
        exited() {},
        changed() {},
        removed() {},
        askPresence() {},
      },
      outputEvents: () => ({ output() {}, lagging() {}, relieved() {}, unseen() {} }),
    });
  }

  get started(): SpawnSpec | undefined {
    return this.spawner.ptys.at(-1)?.spec;
  }

  revives(metadata: SessionMetadata): void {
    const old = { id: 's1', metadata, snapshot: null, replay: [], lostBytes: 0, end: 0, savedAt: new Date() };
    reviveSession(this.manager, old, new Uint8Array(0));
  }
}

describe('the nonce of marks', () => {
  it('is random for each session, and given to its shell with the number of the first command', () => {
    const marking = new Marking();
    const [one, two] = [marking.manager.create({ size: SIZE }), marking.manager.create({ size: SIZE })];
    expect(marking.given).toEqual([
      { nonce: one.identity.marksNonce, firstNumber: 1 },
      { nonce: two.identity.marksNonce, firstNumber: 1 },
    ]);
    expect(one.identity.marksNonce).toMatch(/^[\w-]{22}$/);
    expect(one.identity.marksNonce).not.toBe(two.identity.marksNonce);
    expect(one.identity.marksNonce).not.toBe(one.identity.id);
  });

  it('is stored with the command as it was asked for, not as it was started', () => {
    const marking = new Marking();
    const { identity } = marking.manager.create({ size: SIZE, args: ['-l'] });
    expect(marking.started).toMatchObject({ args: ['--init-file', 'ours'] });
    const [stored] = marking.kept;
    expect(stored).toMatchObject({ command: '/bin/bash', args: ['-l'], marksNonce: identity.marksNonce });
    expect(stored?.env).not.toHaveProperty('HOLDFAST_MARKS');
    expect(decodeMetadata(encodeMetadata(stored as SessionMetadata))).toEqual(stored);
  });

  it('stays the same over a restart of the agent, and the shell is prepared again', () => {
    const before = new Marking();
    before.manager.create({ size: SIZE });
    const [stored] = before.kept;
    const after = new Marking();
    after.revives(stored as SessionMetadata);
    expect(after.given).toEqual([{ nonce: before.given[0]?.nonce, firstNumber: 1 }]);
    expect(after.started?.args).toEqual(['--init-file', 'ours']);
    expect(after.kept[0]).toMatchObject({ args: [], marksNonce: before.given[0]?.nonce });
  });

  it('is made anew for a session that an earlier agent has stored without one', () => {
    const marking = new Marking();
    marking.revives(someMetadata());
    expect(marking.kept[0]?.marksNonce).toMatch(/^[\w-]{22}$/);
  });

  it('numbers continue after those of the commands that were stored', () => {
    const marking = new Marking();
    marking.manager.revive('s1', { size: SIZE, commands: { list: [], nextNumber: 42 } }, new Uint8Array(0));
    expect(marking.given[0]?.firstNumber).toBe(42);
  });

  it('is told to clients that attach, those who only watch included', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const id = relay.creates();
    const { marksNonce } = relay.agent.sessions.find(id).identity;
    for (const role of ['operator', 'viewer'] as const) {
      relay.attaches(role === 'viewer' ? 2 : 1, id, { role });
      expect(relay.last('session_reattached').marksNonce).toBe(marksNonce);
    }
  });

  it('cannot be chosen by a client', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const asked = {
      type: 'create_session',
      request: 'c',
      ...SIZE,
      marksNonce: 'chosen',
      nextCommandNumber: 7,
    };
    relay.asks(1, asked as never);
    const { id } = relay.last('session_created').session;
    expect(relay.agent.sessions.find(id).identity.marksNonce).not.toBe('chosen');
  });

  it('[X18] its variable is refused from callers, and not taken from a stored environment', () => {
    expect(() => sessionEnvironment({}, { HOLDFAST_MARKS: 'x:1' })).toThrow(
      'The variable HOLDFAST_MARKS may not be set: the agent uses it itself.',
    );
    expect(acceptable({ HOME: '/', HOLDFAST_MARKS: 'x:1' })).toEqual({ HOME: '/' });
  });
});
