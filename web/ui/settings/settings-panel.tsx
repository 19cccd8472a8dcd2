/** The settings dialog, with the list of keyboard shortcuts. Changes apply at once and are stored. */
import { COMMANDS, OTHER_KEYS } from '../commands/command-table.ts';
import { Dialog } from '../elements/dialog.tsx';
import type { PushSwitch } from '../push/push-switch.ts';
import { NotificationSettings } from './notification-settings.tsx';
import { isMac } from './platform.ts';
import { Check, Choice, Section } from './setting-fields.tsx';
import {
  FONT_SIZE_MAX,
  FONT_SIZE_MIN,
  FONTS,
  type Settings,
  type SettingsStore,
  THEMES,
} from './settings.ts';
import { useSettings } from './use-settings.ts';

export interface SettingsPanelProps {
  readonly store: SettingsStore;
  /** The effective size, shown when the user has not chosen one. */
  readonly fontSize: number;
  readonly onClose: () => void;
  /** Null where the page has no login of its own. */
  readonly push: PushSwitch | null;
  readonly onLogOut: (() => void) | null;
}

const CLIPBOARD = { ask: 'Ask each time', always: 'Always', never: 'Never' } as const;
const KEY_BAR = { touch: 'On touch screens', always: 'Always', never: 'Never' } as const;

export function SettingsPanel({ store, fontSize, push, onClose, onLogOut }: SettingsPanelProps) {
  const settings = useSettings(store);
  const shown = { settings, change: (change: Partial<Settings>) => store.change(change) };
  return (
    <Dialog kind="side" title="Settings" onClose={onClose}>
      <Appearance {...shown} fontSize={fontSize} />
      <Clipboard {...shown} />
      <TabSettings {...shown} />
      <NotificationSettings {...shown} push={push} />
      <Accessibility {...shown} />
      <Keyboard {...shown} />
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

interface Props {
  readonly settings: Settings;
  readonly change: (change: Partial<Settings>) => void;
}

function Appearance({ settings, change, fontSize }: Props & { readonly fontSize: number }) {
  return (
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
  );
}

function Clipboard({ settings, change }: Props) {
  return (
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
  );
}

function TabSettings({ settings, change }: Props) {
  return (
    <Section title="Tabs">
      <Check
        label="Close tab when the shell exits without an error"
        is={settings.closeOnExit}
        on={(closeOnExit) => change({ closeOnExit })}
      />
    </Section>
  );
}

function Accessibility({ settings, change }: Props) {
  return (
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
  );
}

function Keyboard({ settings, change }: Props) {
  return (
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
          {[...COMMANDS, ...OTHER_KEYS].map(
            ({ title, keys }) =>
              keys !== undefined && (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  <td>
                    <kbd>{keys}</kbd>
                  </td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </Section>
  );
}
