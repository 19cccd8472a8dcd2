/**
 * Brings viewers up to date: by what they missed, by the screen, by the history above it; then they are told what
 * everybody is.
 */
import type { Clock } from '../protocol/clock.ts';
import type { RecoveryObserver } from './recoveries.ts';
import type { Replay } from './replay.ts';
import type { Session } from './session.ts';
import { driverMessage, exitedMessage, type Uplink } from './uplink.ts';
import type { Viewer } from './viewer.ts';

/** A viewer that fell behind by no more is given what it missed; by more, the screen is there sooner. */
const CATCH_UP_MAX_BYTES = 64 * 1024;

/** How long a viewer that has no room for its history now is left alone. */
const HISTORY_RETRY_MS = 1_000;

/** When a client asked for a session, and whether it had something of it before. */
export interface Asked {
  readonly askedAt: number;
  readonly isReturn: boolean;
}

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

  /** A viewer has just attached: exactly what it missed, or the screen when that is gone. */
  begin(session: Session, viewer: Viewer, has: number | undefined, asked: Asked): void {
    const delta = has === undefined ? null : session.replays.since(has);
    if (delta === null) this.#showScreen(session, viewer, has, asked);
    else this.#replay(session, viewer, delta, { has, asked });
  }

  /** Little was missed: exactly that. More: the screen as it is now, and how much was skipped. [OU10] */
  bringBack(session: Session, viewer: Viewer, has: number): void {
    const isLittle = session.end - has <= CATCH_UP_MAX_BYTES;
    const delta = isLittle ? session.replays.since(has) : null;
    if (delta === null) this.#showScreen(session, viewer, has);
    else this.#replay(session, viewer, delta, { has });
  }

  #showScreen(session: Session, viewer: Viewer, has: number | undefined, asked?: Asked): void {
    void session.replays.screen(viewer).then((replay) => {
      if (replay === null) return;
      this.#replay(session, viewer, replay, { has, asked });
      if (viewer.history === 'later' && replay.linesAbove > 0) this.#showHistory(session, viewer);
    });
  }

  /**
   * What was left out for the sake of the screen. A viewer that is behind is asked again later; one that has fallen
   * behind altogether gets another screen first, which leads back here. [OU15]
   */
  #showHistory(session: Session, viewer: Viewer): void {
    if (!session.audience.isFollowing(viewer)) return;
    const again = () => this.#clock.after(HISTORY_RETRY_MS, () => this.#showHistory(session, viewer));
    if (!session.audience.isCalm(viewer)) return void again();
    void session.replays.history(viewer).then((replay) => {
      if (replay === null) again();
      else this.#replay(session, viewer, replay, { has: replay.from, isHistory: true });
    });
  }

  /** The replay goes to the one client; from the subscription on it is told what everybody is. */
  #replay(
    session: Session,
    { channel }: Viewer,
    replay: Replay,
    { has, asked, isHistory }: Circumstances,
  ): void {
    const { from, to } = replay;
    const lost = has === undefined ? 0 : Math.max(0, from - has);
    this.#send(session, channel, replay, lost, isHistory === true);
    if (isHistory !== true) {
      const { handle } = session.identity;
      if (!replay.isStill) this.#uplink.tell({ type: 'subscribe', channel, handle });
      this.#uplink.reply(channel, driverMessage(session, channel));
    }
    session.audience.follow(channel, from, to, !replay.isStill);
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
