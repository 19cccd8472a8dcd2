/** How many connections are accepted only to be told why they are closed. */
import { describe, expect, it } from 'vitest';
import { TURNED_AWAY_MAX, WORKSPACE_TURNED_AWAY_MAX } from '../../../protocol/limits.ts';
import { TurnedAway } from '../../../worker/http/turn-away.ts';

describe('connections that are refused over the socket', () => {
  it('[SEC21] [RL26] are few for each workspace, so that others can still be refused properly', () => {
    const turnedAway = new TurnedAway();
    for (let i = 0; i < WORKSPACE_TURNED_AWAY_MAX; i++) {
      expect(turnedAway.isFullFor('hostile')).toBe(false);
      turnedAway.add(new EventTarget() as WebSocket, 'hostile');
    }
    expect([turnedAway.isFullFor('hostile'), turnedAway.isFullFor('other')]).toEqual([true, false]);
  });

  it('[RL26] are limited in total', () => {
    const turnedAway = new TurnedAway();
    for (let i = 0; i < TURNED_AWAY_MAX; i++) turnedAway.add(new EventTarget() as WebSocket, `w${i}`);
    expect(turnedAway.isFullFor('new')).toBe(true);
  });

  it('[RL26] count until they have ended, once', () => {
    const turnedAway = new TurnedAway();
    const sockets = Array.from({ length: WORKSPACE_TURNED_AWAY_MAX }, () => new EventTarget());
    for (const socket of sockets) turnedAway.add(socket as WebSocket, 'w');
    sockets[0]?.dispatchEvent(new Event('error'));
    sockets[0]?.dispatchEvent(new Event('close'));
    expect(turnedAway.isFullFor('w')).toBe(false);
    turnedAway.add(new EventTarget() as WebSocket, 'w');
    expect(turnedAway.isFullFor('w')).toBe(true);
  });
});
