/** The input of one session, on a link that can be cut. */
import { ClientInput } from '../../client/client-input.ts';
import { decodeFrame } from '../../protocol/frame.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const bytes = (text: string) => new TextEncoder().encode(text);
export const text = (found: Uint8Array) => new TextDecoder().decode(found);

/** A session's input on a link that can be cut; attached and live unless said otherwise. */
export function typist({ isLive = true } = {}) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const answered: number[] = [];
  const seen = { handle: isLive ? 7 : (undefined as number | undefined), changes: 0, asked: 0, late: 0 };
  const input = new ClientInput(
    {
      clock,
      agentAnswered: (ms) => answered.push(ms),
      agentLate: () => {
        seen.late++;
      },
      sendFrame: (frame) => {
        const { offset, payload } = decodeFrame(frame);
        sent.push(`${offset}:${text(payload)}`);
      },
    },
    { handle: () => seen.handle, changed: () => seen.changes++, askAgain: () => seen.asked++ },
  );
  if (isLive) {
    input.met(0, false);
    input.becameLive();
  }
  return {
    input,
    clock,
    sent,
    answered,
    seen,
    cutOff() {
      seen.handle = undefined;
      input.cutOff();
    },
    attach(offset: number, isOtherLife = false) {
      seen.handle = 7;
      input.met(offset, isOtherLife);
    },
  };
}
