/**
 * Brings viewers up to date: by what they missed, by the screen, by the history above it; then they are told what
 * everybody is.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Attachment } from '../output/attachment.ts';
import { bytesOf, type Replay } from '../output/replay.ts';
import type { Session } from '../session/session.ts';
import type { RecoveryObserver } from './recoveries.ts';
import { driverMessage, exitedMessage, type Uplink } from './uplink.ts';

/** A viewer that fell behind by no more is given what it missed; by more, the screen is there sooner. */
const CATCH_UP_MAX_BYTES = 64 * 1024;

/** A viewer for whose replay there is no room is looked at again this much later: four screens a second are a picture. */
const REPLAY_RETRY_MS = 250;

/** How long a viewer that has no room for its history now is left alone. */
const HISTORY_RETRY_MS = 1_000;

/** When a client asked for a session, and whether it had something of it before. */
export interface Asked {
  readonly askedAt: number;
  readonly isReturn: boolean;
}

/** What is known of a screen that had no room: to ask for a smaller one, and not to ask in vain. */
interface Attempt {
  /** Without the history above it. */
  readonly isBare: boolean;
  readonly bytes: number;
}

const FIRST_ATTEMPT: Attempt = { isBare: false, bytes: 0 };

interface Circumstances {
  /** Where the viewer is; undefined when it has nothing. */
  readonly has: number | undefined;
  readonly asked?: Asked | undefined;
  /** What it shows already, with the history above. */
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

  /** A viewer has just attached: exactly what it missed, or the screen when that is gone or has no room. */
  begin(session: Session, viewer: Attachment, has: number | undefined, asked: Asked): void {
    const delta = has === undefined ? null : session.replays.since(has);
    if (delta !== null && session.audience.admits(viewer, bytesOf(delta)))
      this.#replay(session, viewer, delta, { has, asked });
    else if (delta !== null && bytesOf(delta) <= CATCH_UP_MAX_BYTES)
      this.#later(session, viewer, () => this.begin(session, viewer, has, asked));
    else this.#showScreen(session, viewer, has, asked);
  }

  /** Little was missed: exactly that. More: the screen as it is now, and how much was skipped. [OU10] */
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

  /** There is no room. One attempt waits for each viewer: attaching anew makes another viewer, and ends this one. [OU9] */
  #later(session: Session, viewer: Attachment, again: () => void): void {
    this.#clock.after(REPLAY_RETRY_MS, () => {
      if (session.audience.isDue(viewer)) again();
    });
  }

  /**
   * What was left out for the sake of the screen. A viewer that is behind is asked again later; one that has fallen
   * behind altogether gets another screen first, which leads back here. `bytes`: what there was no room for. [OU15]
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

  /** The replay goes to the one client; from the subscription on it is told what everybody is. */
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
    const { handle, id } = session.identity;
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
