/**
 * Tells the drawing side of colour changes once, however many a program makes in one go. xterm writes its style sheet or its glyphs
 * anew with every change, which takes up to a millisecond: 64 KB of changes would keep the page busy for seconds.
 */

/** What this needs of xterm's internals. The theme service is there once the terminal is open. */
export interface ColouredCore {
  readonly _themeService?: {
    readonly colors: unknown;
    readonly _onChangeColors: { fire(colors: unknown): void };
  };
}

export function gatherColourChanges({ _themeService: service }: ColouredCore): void {
  if (service === undefined) return;
  const { _onChangeColors: changed } = service;
  const fire = changed.fire.bind(changed);
  let isDue = false;
  changed.fire = () => {
    if (isDue) return;
    isDue = true;
    // After what is being parsed: xterm parses for some milliseconds at a time.
    queueMicrotask(() => {
      isDue = false;
      fire(service.colors);
    });
  };
}
