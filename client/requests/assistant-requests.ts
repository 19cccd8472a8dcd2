/** What a program does with a session for a person: runs commands, types, sends signals, and waits. */
import type { ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { type AskedAgent, askUntilAnswered, type RepeatLink, requireAbility } from './repeated-request.ts';
import type { AnswerTo, RequestOptions, Requests } from './requests.ts';

/** Who does something with a session's keyboard, and under which id: the same `act` again is not done again. [AS1] */
export interface ActOptions {
  readonly act: string;
  /** How the assistant calls itself; people read it. */
  readonly actor?: string | undefined;
  /** An id of the assistant, if it has several connections; otherwise the connection stands for it. */
  readonly holder?: string | undefined;
}

export interface RunOptions extends ActOptions {
  /** How long to wait for the end of the command. */
  readonly waitMs: number;
  /** For a caller who asks again after this call: another life of the agent would run the command again. */
  readonly asked?: AskedAgent | undefined;
}

export interface TypeTextOptions extends ActOptions {
  readonly withinMs: number;
  /** As a paste, if the program in the terminal knows what that is. */
  readonly paste?: boolean;
}

export interface AwaitOptions {
  readonly waitMs: number;
  /** What was printed before this offset does not count. */
  readonly since?: number | undefined;
}

/** A command that has ended, or why a session wants attention; neither if nothing happened in time. */
export type AwaitedSession = Omit<AnswerTo<'await_session'>, 'type' | 'request' | 'session'>;

type SentSignal = ClientMessageOf<'signal_session'>['signal'];

export class AssistantRequests {
  readonly #pending: Requests;
  readonly #link: RepeatLink;

  constructor(pending: Requests, link: RepeatLink) {
    this.#pending = pending;
    this.#link = link;
  }

  /**
   * Runs a command line in the session's shell, once, and resolves with what became of it when it has ended, waits for
   * input or was taken over, or after `waitMs`. Lost connections of either link are waited out. Rejects with a Refusal
   * when nothing was run, and with NoAnswer when that is unknown: the same call with the same `act` tells. [AS1]
   */
  async run(session: string, command: string, { waitMs, asked, ...act }: RunOptions): Promise<RunState> {
    const { run } = await askUntilAnswered(this.#link, {
      ...{ needs: 'run', waitMs, asked },
      ask: (forMs, withinMs, epoch) =>
        this.#pending.ask(
          { type: 'run_command', session, ...given(act, epoch), command, waitMs: forMs },
          { withinMs },
        ),
      isPending: (answer) => answer.run.state === 'running',
    });
    return run;
  }

  /** Types text or keys as an assistant, once. Resolves with the length of the output at that moment. [AS4] */
  async typeText(session: string, text: string, options: TypeTextOptions): Promise<number> {
    const { withinMs, paste, ...act } = options;
    const { offset } = await askUntilAnswered(this.#link, {
      ...{ needs: 'run', waitMs: withinMs },
      ask: (_, within, epoch) => {
        const what = { text, ...(paste === undefined ? {} : { paste }) };
        return this.#pending.ask(
          { type: 'type_text', session, ...given(act, epoch), ...what },
          { withinMs: within },
        );
      },
    });
    return offset;
  }

  /** Sends a signal to the program in the foreground. Resolves with its name; null if that is unknown. */
  async signal(
    session: string,
    signal: SentSignal,
    options: Pick<RequestOptions, 'withinMs'> = {},
  ): Promise<string | null> {
    requireAbility(this.#link, 'run');
    return (await this.#pending.ask({ type: 'signal_session', session, signal }, options)).program;
  }

  /**
   * Waits until a command of the session has ended, or the session wants attention; resolves without either after
   * `waitMs`. Lost connections are waited out. [AS5]
   */
  async awaitSession(
    session: string,
    what: 'command' | 'attention',
    { waitMs, since }: AwaitOptions,
  ): Promise<AwaitedSession> {
    let from = since;
    const ask = (forMs: number, withinMs: number) => {
      const where = from === undefined ? {} : { since: from };
      return this.#pending.ask(
        { type: 'await_session', session, for: what, ...where, waitMs: forMs },
        { withinMs },
      );
    };
    const { offset, command, attention } = await askUntilAnswered(this.#link, {
      ...{ needs: 'attention', waitMs },
      ask: async (forMs, withinMs) => {
        // A command that ends while a link is down counts, so it must be known where the wait began.
        if (what === 'command' && from === undefined) {
          const now = await ask(0, withinMs);
          if (now.command !== undefined) return now;
          from = now.offset;
        }
        return ask(forMs, withinMs);
      },
      isPending: (answer) => answer.command === undefined && answer.attention === undefined,
    });
    return {
      offset,
      ...(command === undefined ? {} : { command }),
      ...(attention === undefined ? {} : { attention }),
    };
  }
}

/** Without fields that are unknown. */
function given({ act, actor, holder }: ActOptions, epoch: string | null) {
  return {
    act,
    ...(epoch === null ? {} : { epoch }),
    ...(actor === undefined ? {} : { actor }),
    ...(holder === undefined ? {} : { holder }),
  };
}
