/**
 * Merges the colour changes that a program makes in one burst into one event for the renderer. xterm rebuilds its style
 * sheet or its glyphs on every change, which takes up to a millisecond: 64 KB of changes would keep the page busy for
 * seconds.
 */

/** The xterm internals used here. The theme service exists once the terminal is open. */
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
    // Runs after the current parsing step; xterm parses for some milliseconds at a time.
    queueMicrotask(() => {
      isDue = false;
      fire(service.colors);
    });
  };
}
