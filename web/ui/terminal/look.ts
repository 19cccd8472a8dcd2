/** The appearance of a terminal, computed from theme and settings. */
import type { ITheme } from '@xterm/xterm';
import type { FindColours } from './xterm-find.ts';

export interface Look {
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly theme: ITheme;
  readonly minimumContrastRatio: number;
  readonly cursorBlink: boolean;
  readonly screenReaderMode: boolean;
  readonly macOptionIsMeta: boolean;
  readonly find: FindColours;
}
