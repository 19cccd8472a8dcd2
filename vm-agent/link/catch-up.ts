/**
 * Brings clients up to date with the missing output, the screen, or the history above it. Then it subscribes them to
 * live output.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Attachment } from '../output/attachment.ts';
import { bytesOf, type Replay } from '../output/replay.ts';
import type { Session } from '../session/session.ts';
import type { RecoveryObserver } from './recoveries.ts';
import { driverMessage, exitedMessage, type Uplink } from './uplink.ts';

/** A client that missed at most this much gets the missing bytes; beyond that, the screen arrives sooner. */
const CATCH_UP_MAX_BYTES = 64 * 1024;

/** Retry delay for a replay without room: four screens per second look live. */
const REPLAY_RETRY_MS = 250;

/** Retry delay for a history without room. */
const HISTORY_RETRY_MS = 1_000;

/** When a client asked for a session, and whether it already had part of it. */
export interface Asked {
  readonly askedAt: number;
  readonly isReturn: boolean;
}

/** A screen that had no room: the next attempt asks for a smaller one, and only once that can fit. */
interface Attempt {
  /** Without the history above the screen. */
  readonly isBare: boolean;
  readonly bytes: number;
}

const FIRST_ATTEMPT: Attempt = { isBare: false, bytes: 0 };

interface Circumstances {
  /** The offset the client has; undefined if it has nothing. */
  readonly has: number | undefined;
  readonly asked?: Asked | undefined;
  /** The client already shows this screen; the replay adds the history above it. */
  readonly isHistory?: boolean;
}

export class CatchUp {
  readonly #uplink: Uplink;
  readonly #clock: Clock;
  readonly #recoveries: RecoveryObserver;

  constructor(uplink: Uplink, clock: Clock, recoveries: RecoveryObserver) {
    this.#uplink = uplink;
    this.#clock = clock;
    this.#recoveries = recoveries;
  }

  /**
   * A client has just attached: sends exactly what it missed, or the screen if that is no longer held or has no room.
   */
  begin(session: Session, viewer: Attachment, has: number | undefined, asked: Asked): void {
    const delta = has === undefined ? null : session.replays.since(has);
    if (delta !== null && session.audience.admits(viewer, bytesOf(delta)))
      this.#replay(session, viewer, delta, { has, asked });
    else if (delta !== null && bytesOf(delta) <= CATCH_UP_MAX_BYTES)
      this.#later(session, viewer, () => this.begin(session, viewer, has, asked));
    else this.#showScreen(session, viewer, has, asked);
  }

  /** Sends exactly what was missed if that is little, otherwise the current screen and how much was skipped. [OU10] */
  bringBack(session: Session, viewer: Attachment, has: number): void {
    const isLittle = session.end - has <= CATCH_UP_MAX_BYTES;
    const delta = isLittle ? session.replays.since(has) : null;
    if (delta === null) this.#showScreen(session, viewer, has);
    else if (session.audience.admits(viewer, bytesOf(delta))) this.#replay(session, viewer, delta, { has });
    else this.#later(session, viewer, () => this.bringBack(session, viewer, has));
  }

  #showScreen(
    session: Session,
    viewer: Attachment,
    has: number | undefined,
    asked?: Asked,
    attempt = FIRST_ATTEMPT,
  ): void {
    const again = (next: Attempt) =>
      this.#later(session, viewer, () => this.#showScreen(session, viewer, has, asked, next));
    if (!session.audience.admits(viewer, attempt.bytes)) return again(attempt);
    void session.replays.screen(viewer, attempt.isBare).then((replay) => {
      if (replay === null) return;
      const bytes = bytesOf(replay);
      if (!session.audience.admits(viewer, bytes))
        return again({ isBare: true, bytes: attempt.isBare ? bytes : 0 });
      this.#replay(session, viewer, replay, { has, asked });
      const isLater = viewer.history === 'later' || (attempt.isBare && viewer.history === 'all');
      if (isLater && replay.linesAbove > 0) this.#showHistory(session, viewer);
    });
  }

  /**
   * There is no room. One retry is pending per attachment: attaching again makes a new one, and ends this retry. [OU9]
   */
  #later(session: Session, viewer: Attachment, again: () => void): void {
    this.#clock.after(REPLAY_RETRY_MS, () => {
      if (session.audience.isDue(viewer)) again();
    });
  }

  /**
   * Sends the history that was left out to send the screen sooner. If the client is behind, it retries later; if the
   * client lags, it first gets another screen, which leads back here. `bytes`: the size that had no room. [OU15]
   */
  #showHistory(session: Session, viewer: Attachment, bytes = 0): void {
    const { audience, replays } = session;
    if (!audience.isFollowing(viewer)) return;
    const again = (needed: number) =>
      this.#clock.after(HISTORY_RETRY_MS, () => this.#showHistory(session, viewer, needed));
    if (!audience.isCalm(viewer) || !audience.admits(viewer, bytes)) return void again(bytes);
    void replays.history(viewer).then((replay) => {
      if (replay === null) again(bytes);
      else if (!audience.admits(viewer, bytesOf(replay))) again(bytesOf(replay));
      else this.#replay(session, viewer, replay, { has: replay.from, isHistory: true });
    });
  }

  /** Sends the replay to one client and subscribes it to live output. */
  #replay(
    session: Session,
    { channel }: Attachment,
    replay: Replay,
    { has, asked, isHistory }: Circumstances,
  ): void {
    const { from, to } = replay;
    const { handle } = session.identity;
    const lost = has === undefined ? 0 : Math.max(0, from - has);
    this.#send(session, channel, replay, lost, isHistory === true);
    if (isHistory !== true) {
      if (!replay.isStill) this.#uplink.tell({ type: 'subscribe', channel, handle });
      this.#uplink.reply(channel, driverMessage(session, channel));
    }
    const screen = replay.screen === null ? undefined : { bytes: replay.screen.length, handle };
    session.audience.follow(channel, from, to, !replay.isStill, screen);
    this.#observe(replay, lost, asked);
    if (session.exit !== null) this.#uplink.reply(channel, exitedMessage(session));
  }

  #send(session: Session, channel: number, replay: Replay, lost: number, isHistory: boolean): void {
    const { handle, id, widths } = session.identity;
    const { from, to, size, screen, pieces } = replay;
    this.#uplink.reply(channel, {
      type: 'scrollback',
      session: id,
      handle,
      kind: kindOf(replay),
      from,
      to,
      lost,
      ...size,
      bytes: screen?.length ?? 0,
      widths,
      ...(isHistory ? { history: true } : {}),
    });
    if (screen !== null) this.#uplink.snapshot(session, channel, screen);
    for (const piece of pieces) {
      if (piece.kind === 'output') this.#uplink.missed(session, channel, piece, to);
      else this.#uplink.resized(session, piece.offset, piece.size, channel);
    }
  }

  #observe(replay: Replay, lostBytes: number, asked: Asked | undefined): void {
    if (replay.screen !== null) this.#recoveries.snapshotSent(replay.screen.length);
    if (asked === undefined) return;
    const { askedAt, isReturn } = asked;
    const ms = this.#clock.now() - askedAt;
    this.#recoveries.recovered({ ms, kind: kindOf(replay), isReturn, lostBytes });
  }
}

function kindOf({ screen }: Replay): 'delta' | 'snapshot' {
  return screen === null ? 'delta' : 'snapshot';
}
