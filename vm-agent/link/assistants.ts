/** Answers what assistants ask for: running a command, typing, sending a signal. Rules AS1 to AS4. */
import { Refusal } from '../../protocol/errors.ts';
import { ACTOR_MAX_CHARS, AWAIT_MAX_MS, AWAITS_PER_CLIENT_MAX } from '../../protocol/limits.ts';
import type { ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { RefusedMessage, ServerMessage } from '../../protocol/messages/server-message.ts';
import { printable } from '../../protocol/printable.ts';
import { assistantId } from '../keyboard/assistant-id.ts';
import type { Assistant } from '../keyboard/keyboard.ts';
import type { Session } from '../session/session.ts';
import type { SessionManager } from '../session/session-manager.ts';
import type { Asker } from './attaching.ts';
import type { Uplink } from './uplink.ts';

type Acting = ClientMessageOf<'run_command'> | ClientMessageOf<'type_text'>;

export class Assistants {
  readonly #sessions: SessionManager;
  readonly #uplink: Uplink;
  readonly #answering: (channel: number, asked: RefusedMessage, act: () => void) => void;
  /** How many requests of each client wait. */
  readonly #waiting = new Map<number, number>();
  /** Counts links: what was asked on an earlier one is not answered on this one. */
  #link = 0;

  constructor(
    sessions: SessionManager,
    uplink: Uplink,
    answering: (channel: number, asked: RefusedMessage, act: () => void) => void,
  ) {
    this.#sessions = sessions;
    this.#uplink = uplink;
    this.#answering = answering;
  }

  run(asker: Asker, message: ClientMessageOf<'run_command'>): void {
    const { act, command, request, session, waitMs } = message;
    const { assist } = this.#meant(message);
    const assistant = assistantOf(asker, message);
    this.#answer(asker.channel, message, async () => ({
      type: 'run_state',
      request,
      session,
      run: await assist.run({ assistant, connection: connectionId(asker.channel), act, waitMs }, command),
    }));
  }

  type(asker: Asker, message: ClientMessageOf<'type_text'>): void {
    const { act, paste = false, request, session, text } = message;
    const { assist } = this.#meant(message);
    const assistant = assistantOf(asker, message);
    this.#answer(asker.channel, message, async () => ({
      type: 'text_typed',
      request,
      session,
      offset: await assist.type(
        { assistant, connection: connectionId(asker.channel), act, waitMs: AWAIT_MAX_MS },
        text,
        paste,
      ),
    }));
  }

  signal(channel: number, { request, session: id, signal }: ClientMessageOf<'signal_session'>): void {
    const program = this.#sessions.find(id).assist.signal(signal);
    this.#uplink.reply(channel, { type: 'session_signalled', request, session: id, program });
  }

  clientDropped(channel: number): void {
    if (!this.#waiting.delete(channel) && !this.#known.has(channel)) return;
    this.#known.delete(channel);
    for (const { assist } of this.#sessions.list()) assist.gone(connectionId(channel));
  }

  linkOpened(): void {
    this.#link++;
    const channels = new Set([...this.#waiting.keys(), ...this.#known]);
    this.#waiting.clear();
    this.#known.clear();
    for (const channel of channels)
      for (const { assist } of this.#sessions.list()) assist.gone(connectionId(channel));
  }

  /** Clients that have typed as assistants. */
  readonly #known = new Set<number>();

  /** Throws if the request was meant for an earlier epoch, in which it may have been done. */
  #meant({ epoch, session }: Acting): Session {
    if (epoch !== undefined && epoch !== this.#sessions.epoch)
      throw new Refusal(
        'agent_offline',
        'The machine was restarted meanwhile. Nothing was typed since then.',
      );
    return this.#sessions.find(session);
  }

  #answer(channel: number, asked: Acting, ask: () => Promise<ServerMessage>): void {
    const waiting = this.#waiting.get(channel) ?? 0;
    if (waiting >= AWAITS_PER_CLIENT_MAX)
      throw new Refusal('slow_down', 'Too many requests of this client wait. Wait for their answers first.');
    this.#waiting.set(channel, waiting + 1);
    this.#known.add(channel);
    const link = this.#link;
    const done = (act: () => void) => {
      if (link !== this.#link || !this.#waiting.has(channel)) return;
      this.#waiting.set(channel, (this.#waiting.get(channel) ?? 1) - 1);
      act();
    };
    ask().then(
      (answer) => done(() => this.#uplink.reply(channel, answer)),
      (error: unknown) =>
        done(() =>
          this.#answering(channel, asked, () => {
            throw error;
          }),
        ),
    );
  }
}

const connectionId = (channel: number) => `connection ${channel}`;

/** The connection is the assistant, unless it says which one it is over several of them. */
function assistantOf({ channel, name }: Asker, { actor, holder }: Acting): Assistant {
  const shown = printable(actor ?? name ?? '', ACTOR_MAX_CHARS) || 'An assistant';
  const id = holder === undefined ? connectionId(channel) : assistantId(holder);
  return { id, name: shown };
}
