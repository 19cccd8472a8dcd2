/** A real keeper with a shell of the model, and real agents, one after the other, that die when they are told to. */
import { deflateRawSync } from 'node:zlib';
import { Refusal } from '../../../protocol/errors.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { Keeper, type Start } from '../../../vm-agent/keeper/keeper.ts';
import { FrameReader, type KeeperHeader, named } from '../../../vm-agent/keeper/wire.ts';
import { ADOPTED_EXTRA_BYTES, type Adoption, adoptionsOf } from '../../../vm-agent/kept/adoption.ts';
import { KeeperLink } from '../../../vm-agent/kept/keeper-link.ts';
import { KeeperStorage } from '../../../vm-agent/kept/kept-storage.ts';
import { PASTE, PASTE_END } from '../../../vm-agent/keyboard/paste-mode.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import type { OpenScreen, SessionScreen } from '../../../vm-agent/output/session-output.ts';
import type { PtyEvents, SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import type { SessionAssist } from '../../../vm-agent/run/session-assist.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakePty } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';
import { frameBytes } from '../keeper/frame-bytes.ts';

/** No process has this number, so that nothing is known of it. */
const NO_PROCESS = 0x7fff_ffff;

const LIMITS = {
  historyBytes: 64 * 1024,
  maxSessions: 2,
  whenFull: 'refuse',
  orphanGraceMs: 0,
  idleTimeoutMs: 0,
  exitedKeepMs: 600_000,
} as const;

/** A shell with our script. It runs what is pasted into it, until the test ends that. */
export class ModelShell extends FakePty {
  override readonly pid = NO_PROCESS as 1;
  /** The commands that it was given. */
  readonly ran: string[] = [];
  #isRunning = false;

  constructor(spec: SpawnSpec, events: PtyEvents) {
    super(spec, events);
    queueMicrotask(() => this.#prompt());
  }

  override readsInput(): void {
    super.readsInput();
    const lines = this.typed.split(`${PASTE_END}\r`).slice(0, -1);
    const line = lines[this.ran.length]?.split(PASTE).at(-1);
    if (line === undefined) return;
    this.ran.push(line);
    this.#isRunning = true;
    this.prints(`\r\n\x1b]133;C;nonce=ours;n=${this.ran.length}\x07`);
  }

  /** The command ends, if one runs. */
  ends(exitCode: number): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.prints(`\x1b]133;D;${exitCode};nonce=ours;n=${this.ran.length}\x07`);
    this.#prompt();
  }

  #prompt(): void {
    this.prints('\x1b]133;A;nonce=ours\x07\x1b[?2004h$ ');
  }
}

/** Screens whose snapshots can be read again. */
const openScreen: OpenScreen = (...options) => {
  const screen = fakeScreens().openScreen(...options);
  const take = screen.snapshot.bind(screen);
  const snapshot: SessionScreen['snapshot'] = async (request) => {
    const taken = await take(request);
    if (taken === undefined || taken === 'too large') return taken;
    return { ...taken, deflated: deflateRawSync(taken.deflated) };
  };
  return Object.assign(screen, { snapshot });
};

interface Life {
  readonly agent: Agent;
  isDead: boolean;
}

export class KeptWorld {
  readonly clock = new FakeClock();
  /** Frames that agents have sent to the keeper. */
  sent = 0;
  answer: RunState | undefined;
  refusal: string | undefined;
  #shell: ModelShell | undefined;
  #life: Life | undefined;
  readonly #keeper = new Keeper({
    spawn: (spec, events) => {
      this.#shell = new ModelShell(spec, events);
      return this.#shell;
    },
    clock: this.clock,
    epoch: 'epoch',
    pid: 1,
    ready: () => {},
    finished: () => {},
  });

  get shell(): ModelShell {
    if (this.#shell === undefined) throw new Error('nothing was started');
    return this.#shell;
  }

  get assist(): SessionAssist {
    const [session] = this.#life?.agent.sessions.list() ?? [];
    if (session === undefined) throw new Error('there is no session');
    return session.assist;
  }

  /** Starts an agent, which dies before it sends more frames than that, counted over all agents. */
  async starts(diesAfter = Number.POSITIVE_INFINITY, start: Start = 'all'): Promise<void> {
    const toKeeper = new FrameReader();
    const toAgent = new FrameReader();
    const send = (header: KeeperHeader, payload: Uint8Array) => {
      if (life.isDead) return;
      if (this.sent >= diesAfter) return this.#die(life);
      this.sent++;
      for (const frame of toKeeper.read(frameBytes(header, payload))) this.#keeper.received(frame);
    };
    const link = new KeeperLink({ send, stop: () => {}, leave: () => {}, flushed: async () => {} });
    const life: Life = { agent: this.#agent(link, () => life.isDead), isDead: false };
    this.#life = life;
    // As from a socket: never while the agent is in the middle of something.
    const told = (header: KeeperHeader, payload: Uint8Array) => {
      const bytes = frameBytes(header, payload);
      queueMicrotask(() => {
        if (!life.isDead) for (const frame of toAgent.read(bytes)) link.received(frame);
      });
    };
    this.#keeper.attach({ isWritable: true, send: told, sendLater: told }, start);
    for (const adoption of adoptionsOf(link, await link.found)) this.#adopt(life.agent, link, adoption);
    if (this.#shell === undefined)
      life.agent.sessions.create({ size: { cols: 80, rows: 24 }, marksNonce: 'ours' });
    await this.settle();
  }

  /** The agent process is gone. */
  kill(): void {
    if (this.#life !== undefined && !this.#life.isDead) this.#die(this.#life);
  }

  /** An assistant asks for a command, under the same act each time. */
  async runs(command: string): Promise<void> {
    this.answer = undefined;
    this.refusal = undefined;
    const life = this.#life;
    const assistant = { id: 'codex', name: 'Codex' };
    this.assist.run({ assistant, connection: 'c', act: 'act', waitMs: 60_000 }, command).then(
      (state) => {
        if (life?.isDead === false) this.answer = state;
      },
      (error: unknown) => {
        if (life?.isDead === false) this.refusal = error instanceof Refusal ? error.code : String(error);
      },
    );
    await this.settle();
  }

  /** What no agent of ours has left. */
  leavesGarbage(): void {
    const [program] = this.#keeper.programs;
    if (program === undefined) throw new Error('there is no program');
    const payload = named('runs', Buffer.from('{"runs":[{"act":7}]}'));
    for (const frame of new FrameReader().read(frameBytes({ kind: 'blob', handle: program.handle }, payload)))
      this.#keeper.received(frame);
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) {
      for (let tick = 0; tick < 30; tick++) await Promise.resolve();
      this.clock.advance(25);
    }
  }

  #die(life: Life): void {
    life.isDead = true;
    this.#keeper.detach();
  }

  #agent(link: KeeperLink, isDead: () => boolean): Agent {
    // The timers of a process end with it.
    const clock = {
      now: () => this.clock.now(),
      after: (ms: number, task: () => void) => this.clock.after(ms, () => isDead() || task()),
    };
    return new Agent({
      spawn: link.spawn,
      openScreen,
      keep: new KeeperStorage(link, clock, keepNothing).keep,
      clock,
      limits: LIMITS,
      defaults: { command: '/bin/sh', cwd: '/', env: {} },
      send: () => {},
    });
  }

  #adopt(agent: Agent, link: KeeperLink, { found, metadata, screen, commands, assist }: Adoption): void {
    const { id, handle, spec, start, end, ledger } = found;
    agent.sessions.adopt({
      ...{ id, handle, spec, metadata, start, end, ledger, screen, commands, assist },
      extraBytes: ADOPTED_EXTRA_BYTES,
      spawn: (_, events) => link.adopt(found, events),
    });
  }
}
