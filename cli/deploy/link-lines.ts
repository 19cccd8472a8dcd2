/** The link that `holdfast deploy` prints: for a person with its QR code, for a program alone. Pure. */
import { qrLines } from '../../client/qr/qr-code.ts';

export function linkLines(link: string, isTerminal: boolean): readonly string[] {
  return isTerminal ? [link, ...qrLines(link)] : [link];
}
