import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { CreditWindow } from '../../vm-agent/output/credit-window.ts';

/** A credit window of four megabytes, as on a fast path. */
export function wideWindow(): CreditWindow {
  const window = new CreditWindow();
  for (let now = 0; window.limitBytes < 16 * PAYLOAD_MAX_BYTES; now += 2) {
    const bytes = window.limitBytes;
    window.sent(bytes, now);
    window.acknowledged(bytes, 1, now + 1);
  }
  return window;
}
