/** The icons of the console. They carry no meaning alone: each stands beside a text, or in a control that has a label. */

const PATHS = {
  attach: 'M13.5 6.5 7 13a2.1 2.1 0 0 0 3 3l7-7a4 4 0 0 0-5.7-5.7l-7 7a6 6 0 0 0 8.5 8.5l5.7-5.7',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  chat: 'M4 5h16v11H9l-5 4z',
  close: 'M6 6l12 12M18 6 6 18',
  compare: 'M4 5h7v14H4zM13 5h7v14h-7z',
  config: 'M4 7h10M18 7h2M4 17h4M12 17h8M16 5v4M10 15v4',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  exchanges: 'M4 8h13l-3-3M20 16H7l3 3',
  groups:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-3 3-5 6-5s6 2 6 5M16 11a2.5 2.5 0 1 0 0-5M17 14c2.5.4 4 2.2 4 5',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  inspect: 'M8 5 3 12l5 7M16 5l5 7-5 7',
  keys: 'M14.5 13.5a4.5 4.5 0 1 0-4-4L3 17v4h4v-3h3v-3z',
  menu: 'M4 6h16M4 12h16M4 18h16',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  plus: 'M12 5v14M5 12h14',
  redo: 'M20 12a8 8 0 1 1-2.3-5.7M20 3v5h-5',
  send: 'M5 12h13M12 5l7 7-7 7',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  translate: 'M4 6h9M8.500 4v2M11 6c-1 4-4 7-7 8M6.500 9c1 2.500 3 4 5.500 5M12 20l4-10 4 10M13.400 17h5.200',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  usage: 'M5 20V10M12 20V4M19 20v-7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
