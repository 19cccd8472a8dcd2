/** The real agent of the model, on a program that prints and reads on request. */
import type { WireFrame } from '../../protocol/connection.ts';
import { keepNothing } from '../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../vm-agent/link/agent.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { FakePty } from '../support/fake-pty.ts';
import { ModelScreen } from './model-screen.ts';

const SIZE = { cols: 80, rows: 24 };

/** One life of the agent, and of the one program it runs. */
export interface Life {
  readonly agent: Agent;
  readonly pty: FakePty;
  readonly screen: ModelScreen;
  readonly sessionId: string;
  printed: string;
  hasExited: boolean;
}

interface LifeOptions {
  readonly clock: FakeClock;
  readonly historyBytes: number;
  readonly graceMs: number;
  /** Those before this one. */
  readonly lives: readonly Life[];
  /** How much of the previous screen was kept, or null for nothing. */
  readonly kept: number | null;
}

export function startLife(options: LifeOptions, send: (agent: Agent, frame: WireFrame) => void): Life {
  const { clock, historyBytes, graceMs, lives, kept } = options;
  let pty: FakePty | undefined;
  let screen: ModelScreen | undefined;
  const agent: Agent = new Agent({
    spawn: (spec, events) => {
      pty = new FakePty(spec, events);
      return pty;
    },
    openScreen: (size) => {
      screen = new ModelScreen(size);
      return screen;
    },
    keep: keepNothing,
    clock,
    limits: {
      historyBytes,
      maxSessions: 5,
      whenFull: 'refuse',
      orphanGraceMs: graceMs,
      idleTimeoutMs: 0,
      exitedKeepMs: 0,
    },
    defaults: { command: 'sh', cwd: '/', env: {} },
    send: (frame) => send(agent, frame),
  });
  const before = lives.at(-1);
  const isRevived = kept !== null && before !== undefined && !before.hasExited;
  const prelude = isRevived ? `${before.printed.slice(0, kept)}^${lives.length}^` : '';
  const session = isRevived
    ? agent.sessions.revive(before.sessionId, { size: SIZE }, new TextEncoder().encode(prelude))
    : agent.sessions.create({ size: SIZE });
  if (pty === undefined || screen === undefined) throw new Error('invariant: a session has both');
  return { agent, pty, screen, sessionId: session.identity.id, printed: prelude, hasExited: false };
}
