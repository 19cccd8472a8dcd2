/** The page's icons: outlines in the colour of the surrounding text. */
import type { ReactNode } from 'react';

function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const PlusIcon = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />
  </Icon>
);

export const FindIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4" />
    <path d="M10 10l3.5 3.5" />
  </Icon>
);

export const SessionsIcon = () => (
  <Icon>
    <path d="M2.5 4h11M2.5 8h11M2.5 12h11" />
  </Icon>
);

/** A screen, and a phone before it. */
export const DevicesIcon = () => (
  <Icon>
    <path d="M8.5 11.5h-6v-8h11v2" />
    <rect x="10.5" y="7" width="3.5" height="6.5" rx="1" />
  </Icon>
);

/** A terminal that reaches two others. */
export const ShareIcon = () => (
  <Icon>
    <circle cx="4" cy="8" r="1.75" />
    <circle cx="12" cy="3.75" r="1.75" />
    <circle cx="12" cy="12.25" r="1.75" />
    <path d="M5.6 7.2l4.8-2.6M5.6 8.8l4.8 2.6" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6" />
    <circle cx="10.25" cy="5" r="1.75" />
    <circle cx="5.75" cy="11" r="1.75" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />
  </Icon>
);

export const UpIcon = () => (
  <Icon>
    <path d="M4 10l4-4 4 4" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M4 6l4 4 4-4" />
  </Icon>
);

/** A clock, and an arrow back. */
export const HistoryIcon = () => (
  <Icon>
    <path d="M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 3v2.8h2.8M8 5.2V8l2 1.4" />
  </Icon>
);

/** A pen on a line. */
export const ComposeIcon = () => (
  <Icon>
    <path d="M3.5 9.5l6-6 2 2-6 6-2.5.5zM3 14h10" />
  </Icon>
);

export const LogoIcon = () => (
  <svg className="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path d="M8 10l6 6-6 6" className="logo-prompt" />
    <path d="M17 22h7" className="logo-cursor" />
  </svg>
);
