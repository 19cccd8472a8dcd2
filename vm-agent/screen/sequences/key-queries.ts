/** What a program has asked of the keyboard, and the answers when it asks what it has. */
import type { IParser } from '@xterm/headless';
import {
  flagsReport,
  isOtherKeysQuery,
  type KeyModes,
  keyModesOf,
  otherKeysReport,
} from '../../../protocol/terminal/keyboard/key-modes.ts';
import type { XtermCore } from '../xterm/xterm.ts';

export function answeredKeyModes(core: XtermCore, parser: IParser, answer: (text: string) => void): KeyModes {
  const keys = keyModesOf(core);
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    answer(flagsReport(keys));
    return true;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'm' }, ([resource]) => {
    if (isOtherKeysQuery(resource)) answer(otherKeysReport(keys));
    return true;
  });
  return keys;
}
