/** The root element of everything Holdfast renders. It carries the theme's colours and sizes. */
import type { ReactNode } from 'react';
import type { SettingsStore } from './settings.ts';
import { useSettings } from './use-settings.ts';
import { useTheme } from './use-theme.ts';
import '../tokens.css';
import '../base.css';
import '../page.css';
import '../tabs.css';
import '../terminal.css';
import '../marks.css';
import '../away.css';
import '../dialog.css';
import '../composer/composer.css';
import '../login/link-form.css';
import '../login/login.css';

interface Props {
  readonly settings: SettingsStore;
  readonly children: ReactNode;
}

export function Themed({ settings, children }: Props) {
  return (
    <div className="holdfast" data-theme={useTheme(useSettings(settings).theme)}>
      {children}
    </div>
  );
}
