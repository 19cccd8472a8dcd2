/** The keys of `holdfast send --key`. */
import { keyBytes as bytesOf, KEY_NAMES } from '../../protocol/terminal/keyboard/key-names.ts';
import { UsageError } from '../command-line/usage-error.ts';

export function pressedBytes(name: string): string {
  const bytes = bytesOf(name);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`unknown key ${JSON.stringify(name)}; keys are ${KEY_NAMES}`);
}
