/** The settings dialog, with the list of keyboard shortcuts. Changes apply at once and are stored. */
import type { ReactNode } from 'react';
import { Dialog } from '../elements/dialog.tsx';
import { isMac } from './platform.ts';
import {
  FONT_SIZE_MAX,
  FONT_SIZE_MIN,
  FONTS,
  type Settings,
  type SettingsStore,
  THEMES,
} from './settings.ts';
import { MORE_SHORTCUTS, SHORTCUTS } from './shortcuts.ts';
import { useSettings } from './use-settings.ts';

export interface SettingsPanelProps {
  readonly store: SettingsStore;
  /** The effective size, shown when the user has not chosen one. */
  readonly fontSize: number;
  readonly onClose: () => void;
  /** Null where the page has no login of its own. */
  readonly onLogOut: (() => void) | null;
}

const CLIPBOARD = { ask: 'Ask each time', always: 'Always', never: 'Never' } as const;
const KEY_BAR = { touch: 'On touch screens', always: 'Always', never: 'Never' } as const;

export function SettingsPanel({ store, fontSize, onClose, onLogOut }: SettingsPanelProps) {
  const settings = useSettings(store);
  const change = (change: Partial<Settings>) => store.change(change);
  return (
    <Dialog kind="side" title="Settings" onClose={onClose}>
      <Section title="Appearance">
        <Choice label="Theme" of={THEMES} value={settings.theme} onChange={(theme) => change({ theme })} />
        <Choice label="Font" of={FONTS} value={settings.font} onChange={(font) => change({ font })} />
        <label className="setting">
          <span>Text size</span>
          <input
            type="number"
            className="field field-short"
            min={FONT_SIZE_MIN}
            max={FONT_SIZE_MAX}
            value={settings.fontSize ?? fontSize}
            onChange={(event) => change({ fontSize: event.target.valueAsNumber || null })}
          />
        </label>
        <Check
          label="Blinking cursor"
          is={settings.cursorBlink}
          on={(cursorBlink) => change({ cursorBlink })}
        />
      </Section>
      <Section title="Clipboard">
        <Check
          label="Copy on select"
          is={settings.copyOnSelect}
          on={(copyOnSelect) => change({ copyOnSelect })}
        />
        <Check
          label="Confirm multi-line paste"
          is={settings.pasteWarning}
          on={(pasteWarning) => change({ pasteWarning })}
        />
        <Choice
          label="Let programs write to the clipboard"
          of={CLIPBOARD}
          value={settings.clipboardWrite}
          onChange={(clipboardWrite) => change({ clipboardWrite })}
        />
      </Section>
      <Section title="Tabs">
        <Check
          label="Close tab when the shell exits without an error"
          is={settings.closeOnExit}
          on={(closeOnExit) => change({ closeOnExit })}
        />
      </Section>
      <Section title="Accessibility">
        <Check
          label="Screen reader mode"
          is={settings.screenReader}
          on={(screenReader) => change({ screenReader })}
        />
        <Choice
          label="Key bar"
          of={KEY_BAR}
          value={settings.keyBar}
          onChange={(keyBar) => change({ keyBar })}
        />
      </Section>
      <Section title="Keyboard">
        {isMac() && (
          <Check
            label="Use Option as Meta key"
            is={settings.optionIsMeta}
            on={(optionIsMeta) => change({ optionIsMeta })}
          />
        )}
        <table className="shortcuts">
          <tbody>
            {[...SHORTCUTS, ...MORE_SHORTCUTS].map(({ does, keys }) => (
              <tr key={keys}>
                <th scope="row">{does}</th>
                <td>
                  <kbd>{keys}</kbd>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      {onLogOut !== null && (
        <Section title="This browser">
          <button type="button" className="button" onClick={onLogOut}>
            Sign out
          </button>
        </Section>
      )}
    </Dialog>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="settings-section">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly of: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, of, value, onChange }: ChoiceProps<T>) {
  return (
    <label className="setting">
      <span>{label}</span>
      <select className="field" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {Object.entries<string>(of).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly is: boolean;
  readonly on: (is: boolean) => void;
}

function Check({ label, is, on }: CheckProps) {
  return (
    <label className="setting">
      <span>{label}</span>
      <input type="checkbox" checked={is} onChange={(event) => on(event.target.checked)} />
    </label>
  );
}
