/**
 * Single-terminal mode: one socket, one session, raw bytes both ways. For xterm's AttachAddon and for whatever else
 * speaks WebSocket and nothing of ours. It ends here in the Worker and not in the object, whose heartbeat would
 * answer a typed `ping`; behind it is a client like any other.
 */
import type { Context } from 'hono';
import type { AttachedSession } from '../../../client/attached-session.ts';
import type { Beginning, Screen } from '../../../client/screen.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE, closeCodeOfStatus, closeReason, mayBeSent } from '../../../protocol/close-codes.ts';
import type { Size } from '../../../protocol/frame.ts';
import {
  INPUT_BACKLOG_MAX_BYTES,
  TERMINALS_UNREAD_MAX_BYTES,
  WORKSPACE_TERMINALS_UNREAD_MAX_BYTES,
} from '../../../protocol/limits.ts';
import { ticketIn } from '../../../protocol/version.ts';
import { ApiError, apiErrorOf } from '../../http/api-error.ts';
import type { App, Handler } from '../../http/http.ts';
import { turnAway } from '../../http/turn-away.ts';
import { ownerOf } from '../../peers/owner.ts';
import { isUpgrade } from '../../platform/is-upgrade.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { type AnswerAccount, AnswerBudget } from '../link/answer-budget.ts';
import { openClient } from '../link/follow.ts';
import { query } from '../request/request.ts';
import { terminalQuery } from '../request/schemas.ts';
import { LateCalls } from './late-calls.ts';
import { TerminalLines } from './terminal-lines.ts';
import { TerminalOutput } from './terminal-output.ts';
import { ALL_FAST_BYTES_PER_S, TerminalPace } from './terminal-pace.ts';
import { terminalPair } from './terminal-pair.ts';
import { TerminalReading } from './terminal-reading.ts';

/** The session ends with its socket. Should the Worker end first, the agent ends it when nobody came back for it. */
const GRACE_MS = 30_000;

/**
 * Cancels an unfinished sequence and forgets everything a terminal shows: what follows is a screen, not what comes next.
 * Colours that programs changed are set back apart, because xterm keeps them over a reset.
 */
const START_ANEW = new TextEncoder().encode(
  '\x18\x1bc\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\',
);

/** A pause that is shorter is not worth a timer. */
const PAUSE_MIN_MS = 5;

/** Of this isolate: what its terminals have not shown to have read, also those that were closed and are not gone. */
const terminalBudget = new AnswerBudget({
  all: TERMINALS_UNREAD_MAX_BYTES,
  ofWorkspace: WORKSPACE_TERMINALS_UNREAD_MAX_BYTES,
});

/** Of this isolate, too. */
const terminalLines = new TerminalLines(ALL_FAST_BYTES_PER_S);

const randomFraction = () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;

export const openTerminal: Handler = async (c) => {
  if (!isUpgrade(c.req.raw))
    throw new ApiError(426, 'upgrade_required', 'This address takes WebSocket connections only.');
  const chosen = subprotocolOf(c);
  try {
    const { cols, rows } = query(c, terminalQuery);
    const client = await openClient(c);
    try {
      const { workspace, caller } = c.var.principal;
      const { theirs, ours } = await terminalPair(c.env, workspace, ownerOf(caller));
      const created = await client.create({ cols, rows, graceMs: GRACE_MS });
      const account = terminalBudget.open(workspace, false);
      const pace = new TerminalPace(workerClock, terminalLines.of(workspace));
      const terminal = new TerminalSocket(ours, client, { cols, rows }, account, pace);
      const ended = terminal.show(created.id, { cols, rows });
      c.executionCtx.waitUntil(ended);
      const headers: Record<string, string> = chosen === '' ? {} : { 'Sec-WebSocket-Protocol': chosen };
      return new Response(null, { status: 101, webSocket: theirs, headers });
    } catch (error) {
      client.leave();
      throw error;
    }
  } catch (error) {
    const failure = apiErrorOf(error);
    // A browser cannot read the status of a failed upgrade.
    if (failure === undefined || !c.var.principal.caller.isPage) throw error;
    const code = closeCodeOfStatus(failure.status);
    const sent = mayBeSent(code) ? code : CLOSE.goingAway;
    return turnAway(c.var.principal.workspace, chosen, sent, failure.message, () => {
      throw error;
    });
  }
};

/** A browser that offers some insists on getting one of them. Not the ticket, which is a secret. */
function subprotocolOf(c: Context<App>): string {
  const offered = (c.req.header('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name !== '' && ticketIn(name) === null) ?? '';
}

export class TerminalSocket implements Screen {
  readonly #socket: WebSocket;
  readonly #client: WorkspaceClient;
  readonly #output: TerminalOutput;
  readonly #pace: TerminalPace;
  /** What it was sent and is not acknowledged yet. */
  readonly #late = new LateCalls(workerClock);
  readonly #reading = new TerminalReading(randomFraction);
  /** What it was sent and has not shown to have read. */
  readonly #account: AnswerAccount;
  #session: AttachedSession | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #isOpen = true;

  constructor(
    socket: WebSocket,
    client: WorkspaceClient,
    size: Size,
    account: AnswerAccount,
    pace: TerminalPace,
  ) {
    this.#socket = socket;
    this.#pace = pace;
    this.#account = account;
    this.#client = client;
    this.#output = new TerminalOutput(size);
  }

  /** Resolves when the socket and the session have ended. */
  show(id: string, size: { readonly cols: number; readonly rows: number }): Promise<void> {
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => this.#typed(data as string | ArrayBuffer));
    const gone = (code: number) => {
      // Not when it is closed from here: what it has not read waits until it is gone.
      this.#account.close();
      this.#close(code, '');
    };
    this.#socket.addEventListener('close', () => gone(CLOSE.normal));
    this.#socket.addEventListener('error', () => gone(CLOSE.abnormal));
    this.#socket.accept();
    this.#session = this.#client.attach(id, size, this, { isNew: true, history: 'none' });
    this.#client.onChange(() => this.#look());
    return this.#ended.promise.then(() => this.#endSession(id));
  }

  // ── Output ───────────────────────────────────────────────────────────────────────────────────────

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (!this.#isOpen) return;
    if (this.#pace.isIgnored)
      return this.#close(
        CLOSE.protocolError,
        'The machine sends more than it is asked for. Update its agent.',
      );
    const output = this.#output.take(bytes);
    if (output.length > 0) this.#send(output);
    const question = this.#output.isBetweenSequences ? this.#reading.question() : null;
    if (question !== null) this.#socket.send(new TextEncoder().encode(question));
    const pauseMs = this.#pace.sent(output.length);
    if (this.#pace.isOver) this.#close(CLOSE.silent, 'The connection was silent for too long.');
    if (pauseMs < PAUSE_MIN_MS && this.#late.isEmpty) shown();
    else this.#late.add(pauseMs, shown);
  }

  #send(bytes: Uint8Array): void {
    this.#socket.send(bytes);
    this.#reading.sent(bytes.length);
    try {
      this.#account.hold(bytes.length);
    } catch {
      this.#close(
        CLOSE.tooMany,
        'More was sent than the terminals of this workspace have shown to have read.',
      );
    }
  }

  reset(_beginning?: Beginning): void {
    this.#output.reset();
    if (this.#isOpen) this.#send(START_ANEW);
  }

  /** The size was chosen when the socket was opened, and this protocol has no word for another. */
  resize(size: Size): void {
    this.#output.resize(size);
  }

  // ── Input ────────────────────────────────────────────────────────────────────────────────────────

  #typed(data: string | ArrayBuffer): void {
    this.#pace.heard();
    // What is not UTF-8 is no answer, and is passed on as it is.
    const typed = this.#reading.typed(typeof data === 'string' ? data : new TextDecoder().decode(data));
    this.#account.release(typed.read);
    const isAnswer = typed.read > 0 || typeof data === 'string';
    const bytes = isAnswer ? new TextEncoder().encode(typed.text) : new Uint8Array(data as ArrayBuffer);
    if (bytes.length === 0) return;
    if ((this.#session?.unsentBytes ?? 0) + bytes.length > INPUT_BACKLOG_MAX_BYTES) {
      return this.#close(CLOSE.tooLarge, 'The program is not reading input fast enough.');
    }
    this.#session?.type(bytes);
  }

  // ── The end ──────────────────────────────────────────────────────────────────────────────────────

  /** When there is nothing more to show, the socket is told why. */
  #look(): void {
    const { state } = this.#client;
    const session = this.#session?.state;
    if (session?.name === 'exited') {
      const how = session.signal === null ? `with code ${session.exitCode}` : `by ${session.signal}`;
      this.#close(CLOSE.normal, `The program ended ${how}.`);
    } else if (session?.name === 'gone') {
      this.#close(CLOSE.normal, session.why);
    } else if (state.name === 'refused') {
      this.#close(state.code, state.why);
    }
  }

  /** Ends it from this side, or answers the other one, which some compatibility dates leave to us. */
  #close(code: number, why: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#late.stop();
    try {
      this.#socket.close(mayBeSent(code) ? code : CLOSE.normal, closeReason(why));
    } catch {
      // closed already
    }
    this.#ended.resolve();
  }

  async #endSession(id: string): Promise<void> {
    // When nobody hears this, the agent's own grace for this session ends it.
    await this.#client.close(id).catch(() => {});
    this.#client.leave();
  }
}
