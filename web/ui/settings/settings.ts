/** The user's settings, stored in `localStorage` for every window of this browser. */
import * as v from 'valibot';

export const THEMES = {
  system: 'System',
  dark: 'Holdfast dark',
  light: 'Holdfast light',
  slate: 'Slate',
  sand: 'Sand',
  contrast: 'High contrast',
} as const;
export type ThemeName = keyof typeof THEMES;

export const FONTS = {
  system: 'System',
  dejavu: 'DejaVu Sans Mono',
  courier: 'Courier',
  menlo: 'Menlo or Consolas',
} as const;
export type FontName = keyof typeof FONTS;

export const FONT_SIZE_MIN = 8;
export const FONT_SIZE_MAX = 32;

const names = <T extends string>(table: Readonly<Record<T, string>>) =>
  v.picklist(Object.keys(table) as [T, ...T[]]);

/** Each field has its own fallback, so that one invalid value does not reset all the others. */
const settingsSchema = v.object({
  theme: v.fallback(names(THEMES), 'system'),
  font: v.fallback(names(FONTS), 'system'),
  /** In pixels; null makes it depend on the width of the window. */
  fontSize: v.fallback(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(FONT_SIZE_MIN), v.maxValue(FONT_SIZE_MAX))),
    null,
  ),
  copyOnSelect: v.fallback(v.boolean(), false),
  /** Confirm multi-line paste. */
  pasteWarning: v.fallback(v.boolean(), true),
  /** Whether programs may put text on the clipboard (OSC 52). */
  clipboardWrite: v.fallback(v.picklist(['ask', 'always', 'never']), 'ask'),
  /** Close a tab when its program exits without an error. */
  closeOnExit: v.fallback(v.boolean(), true),
  screenReader: v.fallback(v.boolean(), false),
  cursorBlink: v.fallback(v.boolean(), false),
  /** On a Mac: Option sends Escape first, as Alt does elsewhere, and composes no characters. */
  optionIsMeta: v.fallback(v.boolean(), false),
  keyBar: v.fallback(v.picklist(['touch', 'always', 'never']), 'touch'),
  /** Notify the person when a terminal of a hidden page wants attention. */
  notifications: v.fallback(v.boolean(), false),
});
export type Settings = Readonly<v.InferOutput<typeof settingsSchema>>;

export const DEFAULT_SETTINGS: Settings = v.parse(settingsSchema, {
  theme: 'system',
  font: 'system',
  fontSize: null,
  copyOnSelect: false,
  pasteWarning: true,
  clipboardWrite: 'ask',
  closeOnExit: true,
  screenReader: false,
  cursorBlink: false,
  optionIsMeta: false,
  keyBar: 'touch',
  notifications: false,
});

export const SETTINGS_KEY = 'holdfast/settings';

/** Parses stored settings; missing or invalid values become the defaults. */
export function readSettings(text: string | null): Settings {
  try {
    return v.parse(settingsSchema, { ...DEFAULT_SETTINGS, ...JSON.parse(text ?? '{}') });
  } catch {
    return DEFAULT_SETTINGS;
  }
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export class SettingsStore {
  readonly #storage: Store;
  readonly #listeners = new Set<() => void>();
  #current: Settings;

  constructor(storage: Store) {
    this.#storage = storage;
    this.#current = this.#read();
  }

  get current(): Settings {
    return this.#current;
  }

  change(change: Partial<Settings>): void {
    this.#become(readSettings(JSON.stringify({ ...this.#current, ...change })));
    try {
      this.#storage.setItem(SETTINGS_KEY, JSON.stringify(this.#current));
    } catch {
      // Storage is full or blocked by the browser: the setting then lasts as long as the page.
    }
  }

  /** Another window has changed the settings. */
  reload(): void {
    this.#become(this.#read());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #become(next: Settings): void {
    this.#current = next;
    for (const listener of this.#listeners) listener();
  }

  #read(): Settings {
    try {
      return readSettings(this.#storage.getItem(SETTINGS_KEY));
    } catch {
      return DEFAULT_SETTINGS;
    }
  }
}
