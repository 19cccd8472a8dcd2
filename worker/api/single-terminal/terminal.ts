/**
 * Single-terminal mode (`/terminal/ws`): one socket, one session, raw bytes in both directions. It is for xterm's
 * AttachAddon and other programs that speak WebSocket but not our protocol. The socket ends in the Worker and not in
 * the object, because the object's heartbeat would answer a typed `ping`. The Worker attaches to the session as an
 * ordinary client.
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
import { openClient, requireOnline } from '../link/open-client.ts';
import { query } from '../request/request.ts';
import { terminalQuery } from '../request/schemas.ts';
import { LateCalls } from './late-calls.ts';
import { TerminalLines } from './terminal-lines.ts';
import { TerminalOutput } from './terminal-output.ts';
import { ALL_FAST_BYTES_PER_S, TerminalPace } from './terminal-pace.ts';
import { terminalPair } from './terminal-pair.ts';
import { TerminalReading } from './terminal-reading.ts';

/** The session ends with its socket. If the Worker dies first, the agent ends the session after this grace period. */
const GRACE_MS = 30_000;

/**
 * Cancels an unfinished sequence and resets the terminal, because a whole screen follows and not the next output.
 * Colours that programs changed are reset separately, because xterm keeps them over a reset.
 */
const START_ANEW = new TextEncoder().encode(
  '\x18\x1bc\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\',
);

/** A shorter pause is not worth a timer. */
const PAUSE_MIN_MS = 5;

/**
 * For the isolate: output that terminals have not proven to have read, including closed connections that have not
 * ended.
 */
const terminalBudget = new AnswerBudget({
  all: TERMINALS_UNREAD_MAX_BYTES,
  ofWorkspace: WORKSPACE_TERMINALS_UNREAD_MAX_BYTES,
});

/** One rate for the isolate. */
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
      requireOnline(client);
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
    // A browser cannot read the status of a failed upgrade, so it gets a close code instead.
    if (failure === undefined || !c.var.principal.caller.isPage) throw error;
    const code = closeCodeOfStatus(failure.status);
    const sent = mayBeSent(code) ? code : CLOSE.goingAway;
    return turnAway(c.var.principal.workspace, chosen, sent, failure.message, () => {
      throw error;
    });
  }
};

/**
 * A browser that offers subprotocols requires one of them in the answer. The ticket is never chosen, because it is a
 * secret.
 */
function subprotocolOf(c: Context<App>): string {
  const offered = (c.req.header('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name !== '' && ticketIn(name) === null) ?? '';
}

export class TerminalSocket implements Screen {
  readonly #socket: WebSocket;
  readonly #client: WorkspaceClient;
  readonly #output: TerminalOutput;
  readonly #pace: TerminalPace;
  /** Delayed acknowledgements of what the terminal was sent. */
  readonly #late = new LateCalls(workerClock);
  readonly #reading = new TerminalReading(randomFraction);
  /** Accounts for output that the terminal has not proven to have read. */
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
      // Only when the other end has closed. If we close, unread output stays counted until the connection has ended.
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
      return this.#close(CLOSE.protocolError, 'The machine sends more than was requested. Update its agent.');
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
        'The terminals of this workspace have not read enough of what they were sent.',
      );
    }
  }

  reset(_beginning?: Beginning): void {
    this.#output.reset();
    if (this.#isOpen) this.#send(START_ANEW);
  }

  /** The size was chosen when the socket was opened; this protocol cannot announce another. */
  resize(size: Size): void {
    this.#output.resize(size);
  }

  // ── Input ────────────────────────────────────────────────────────────────────────────────────────

  #typed(data: string | ArrayBuffer): void {
    // Whatever a terminal sends after it was closed still arrives.
    if (!this.#isOpen) return;
    const length = typeof data === 'string' ? data.length : data.byteLength;
    if (length > INPUT_BACKLOG_MAX_BYTES) return this.#tooMuchTyped();
    this.#pace.heard();
    // Input that is not UTF-8 cannot be the answer, and is forwarded unchanged.
    const typed = this.#reading.typed(typeof data === 'string' ? data : new TextDecoder().decode(data));
    this.#account.release(typed.read);
    const isAnswer = typed.read > 0 || typeof data === 'string';
    const bytes = isAnswer ? new TextEncoder().encode(typed.text) : new Uint8Array(data as ArrayBuffer);
    if (bytes.length === 0) return;
    if ((this.#session?.unsentBytes ?? 0) + bytes.length > INPUT_BACKLOG_MAX_BYTES)
      return this.#tooMuchTyped();
    this.#session?.type(bytes);
  }

  #tooMuchTyped(): void {
    this.#close(CLOSE.tooLarge, 'The program is not reading input fast enough.');
  }

  // ── The end ──────────────────────────────────────────────────────────────────────────────────────

  /** Closes the socket with a reason once there is nothing more to show. */
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

  /**
   * Closes the socket, or answers a close from the other end: some compatibility dates do not do that automatically.
   */
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
    // If this does not arrive, the agent's grace period ends the session.
    await this.#client.close(id).catch(() => {});
    this.#client.leave();
  }
}
