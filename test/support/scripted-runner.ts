/**
 * An agent that a test plays on a real relay: it answers what coding agents ask, and counts what was typed. Commands
 * end when the test says so.
 */
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { connectAgent } from './relay-story.ts';
import type { ScriptedPeer } from './scripted-peer.ts';
import { sessionInfo } from './scripted-session.ts';
import type { TestRelay } from './test-relay.ts';

export const DONE: RunState = {
  state: 'done',
  exitCode: 0,
  durationMs: 1200,
  output: 'all is well',
  omittedBytes: 0,
  offset: 42,
  cwd: '/srv',
};

type Asked = { readonly channel: number; readonly message: ClientMessage };
type Reply = (asked: never) => object | undefined;

export class ScriptedRunner implements AsyncDisposable {
  readonly #relay: TestRelay;
  readonly #sessions: readonly SessionInfo[];
  #peer: ScriptedPeer;
  /** Everything that clients asked, in order. */
  readonly asked: ClientMessage[] = [];
  /** What was typed, by act: the first time counts. */
  readonly typed = new Map<string, string>();
  /** What a run becomes; undefined while it is not to be answered. */
  run: RunState | undefined = DONE;
  /** Why no session can be closed. */
  refusal = 'There is no such session.';
  #waiting: Asked[] = [];
  #seen: (() => void)[] = [];

  private constructor(relay: TestRelay, sessions: readonly SessionInfo[], peer: ScriptedPeer) {
    this.#relay = relay;
    this.#sessions = sessions;
    this.#peer = peer;
    void this.#listen(peer);
  }

  static async on(
    relay: TestRelay,
    sessions: readonly SessionInfo[] = [sessionInfo('s1')],
  ): Promise<ScriptedRunner> {
    return new ScriptedRunner(relay, sessions, await connectAgent(relay, { sessions }));
  }

  /** Its connection was lost; it dials again. */
  async returns(): Promise<void> {
    this.#peer = await connectAgent(this.#relay, { sessions: this.#sessions });
    void this.#listen(this.#peer);
  }

  /** Ends all runs that wait, and those that come. */
  ends(run: RunState = DONE): void {
    this.run = run;
    for (const asked of this.#waiting.splice(0)) this.#answer(asked);
  }

  /** Resolves when a message of this type has been asked `times` times. */
  async heard(type: ClientMessage['type'], times = 1): Promise<void> {
    while (this.of(type).length < times) await new Promise<void>((resolve) => this.#seen.push(resolve));
  }

  of<T extends ClientMessage['type']>(type: T): ClientMessageOf<T>[] {
    return this.asked.filter((message) => message.type === type) as ClientMessageOf<T>[];
  }

  /** Loses its connection without a word. */
  vanishes(): void {
    this.#peer.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }

  async #listen(peer: ScriptedPeer): Promise<void> {
    for (;;) {
      const asked = await peer.message<Asked & { type: string }>('from_client').catch(() => undefined);
      if (asked === undefined) return;
      this.asked.push(asked.message);
      for (const seen of this.#seen.splice(0)) seen();
      this.#answer(asked);
    }
  }

  #answer(asked: Asked): void {
    const { channel, message } = asked;
    const reply = (this.#replies as Record<string, Reply>)[message.type]?.(asked as never);
    if (reply === undefined) return void this.#waiting.push(asked);
    const { request, session } = message as { request: string; session: string };
    this.#peer.send({ type: 'to_client', channel, message: { request, session, ...reply } });
  }

  readonly #replies = {
    run_command: ({ message }: { message: ClientMessageOf<'run_command'> }) => {
      if (!this.typed.has(message.act)) this.typed.set(message.act, message.command);
      return this.run === undefined ? undefined : { type: 'run_state', run: this.run };
    },
    type_text: ({ message }: { message: ClientMessageOf<'type_text'> }) => {
      if (!this.typed.has(message.act)) this.typed.set(message.act, message.text);
      return { type: 'text_typed', offset: 7 };
    },
    create_session: ({ message }: { message: ClientMessageOf<'create_session'> }) => ({
      type: 'session_created',
      session: sessionInfo('s2', { key: message.key ?? null, name: message.name ?? '' }),
    }),
    take_snapshot: ({ message }: { message: ClientMessageOf<'take_snapshot'> }) => ({
      type: 'snapshot_taken',
      ...{ handle: 1, format: message.format, offset: 9, cols: 80, rows: 24, bytes: 0 },
    }),
    close_session: () => ({ type: 'error', code: 'session_missing', message: this.refusal }),
    signal_session: () => ({ type: 'session_signalled', program: 'make' }),
    await_session: ({ message }: { message: ClientMessageOf<'await_session'> }) => ({
      type: 'session_awaited',
      offset: 50,
      ...(message.for === 'command' ? { command: COMMAND } : { attention: ATTENTION }),
    }),
  };
}

export const COMMAND = {
  number: 3,
  commandLine: 'make test',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 4000,
  exitCode: 1,
  outputFrom: 10,
  outputTo: 40,
  verified: true,
} as const;

export const ATTENTION = {
  state: 'asks',
  text: 'Continue?',
  at: '2026-01-01T00:00:00.000Z',
  offset: 45,
} as const;
