/** The sessions of one machine, with fake shells and fake time. */
import type { Refusal } from '../../../protocol/errors.ts';
import { type Keep, keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import type { SessionLimits } from '../../../vm-agent/session/manager-options.ts';
import type { Session } from '../../../vm-agent/session/session.ts';
import { SessionManager } from '../../../vm-agent/session/session-manager.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';

export const SIZE = { cols: 80, rows: 24 };
export const GRACE_MS = 60_000;

export class Machine {
  readonly clock = new FakeClock();
  readonly spawner = fakeSpawner();
  readonly asked: string[] = [];
  readonly removed: string[] = [];
  /** What the relay is told of sessions: id and status. */
  readonly told: string[] = [];
  readonly manager: SessionManager;

  constructor(limits: Partial<SessionLimits> = {}, keep: Keep = keepNothing) {
    this.manager = new SessionManager({
      spawn: this.spawner.spawn,
      openScreen: fakeScreens().openScreen,
      keep,
      clock: this.clock,
      limits: {
        historyBytes: 1000,
        maxSessions: 3,
        whenFull: 'refuse',
        orphanGraceMs: GRACE_MS,
        idleTimeoutMs: 0,
        exitedKeepMs: 600_000,
        ...limits,
      },
      defaults: { command: '/bin/sh', cwd: '/home/ann', env: { TERM: 'xterm-256color' } },
      events: {
        resized: () => {},
        inputTaken: () => {},
        driverChanged: () => {},
        commandEnded: () => {},
        attentionChanged: () => {},
        described: () => {},
        exited: () => {},
        changed: ({ info }) => this.told.push(`${info.id} ${info.status}`),
        removed: ({ identity: { id } }, reason) => this.removed.push(`${id} ${reason}`),
        askPresence: (question) => this.asked.push(question),
      },
      outputEvents: () => ({ output() {}, lagging() {}, relieved() {}, unseen() {} }),
    });
    this.manager.linkOpened();
  }

  creates(request: Parameters<SessionManager['create']>[0] | object = {}): {
    session: Session;
    id: string;
    pty: FakePty;
  } {
    const session = this.manager.create({ size: SIZE, ...request });
    const pty = this.spawner.ptys.at(-1) as FakePty;
    return { session, id: session.identity.id, pty };
  }

  attaches(session: Session, channel = 1): void {
    session.clients.attach({ channel, role: 'operator', instance: `i${channel}`, history: 'all' }, SIZE);
  }

  /** The relay answers all its questions. */
  answers(): void {
    for (const question of this.asked.splice(0)) this.manager.presenceAnswered(question);
  }
}

export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Refusal).code;
  }
  return 'none';
}
