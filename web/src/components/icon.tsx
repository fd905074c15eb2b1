const PATHS = {
  overview: 'M2.5 9.5h4v4h-4zM9.5 2.5h4v11h-4zM2.5 2.5h4v4h-4z',
  capabilities: 'M8 1.8 14 5v6l-6 3.2L2 11V5zM2 5l6 3.2L14 5M8 8.2v6',
  inbox: 'M2 9h3.5l1 2h3l1-2H14M2 9v4h12V9L11.8 3H4.2z',
  runs: 'M5 3.2v9.6L13 8z',
  tools:
    'M9.8 2.6a3.6 3.6 0 0 0-3.5 4.8L2.2 11.5a1.6 1.6 0 0 0 2.3 2.3l4.1-4.1a3.6 3.6 0 0 0 4.6-4.5L11 7.4 8.6 5z',
  servers: 'M2.5 2.5h11v4.4h-11zM2.5 9.1h11v4.4h-11zM5 4.7h.01M5 11.3h.01',
  agents: 'M8 8.2a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8M2.6 14c.5-2.6 2.7-4 5.4-4s4.9 1.4 5.4 4',
  graph:
    'M4 5.6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6M12 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6M4 14a1.8 1.8 0 1 0 0-3.6A1.8 1.8 0 0 0 4 14M5.6 4.6l4.8 2.6M5.6 11.4l4.8-2.6',
  playground: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5M9 3l-2 10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.3 10.3 14 14',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  check: 'M3 8.5 6.5 12 13 4.5',
  pause: 'M5.5 3v10M10.5 3v10',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1',
  system: 'M2 3h12v8H2zM6 13.5h4',
  columns: 'M2.5 2.5h11v11h-11zM6.2 2.5v11M9.8 2.5v11',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  refresh: 'M13.5 8A5.5 5.5 0 1 1 11.7 4M13.5 2v3h-3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  shield: 'M8 1.8 13 3.6v4c0 3.2-2.1 5.5-5 6.6-2.9-1.1-5-3.4-5-6.6v-4zM5.7 8l1.7 1.7 3-3.2',
  warning: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6h.01',
  keyboard: 'M1.5 4h13v8h-13zM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M5 9.3h6',
  spark: 'M8 2v3.5M8 10.5V14M2 8h3.5M10.5 8H14M4 4l2 2M10 10l2 2M12 4l-2 2M6 10l-2 2',
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing of 16 pixels. It only repeats what the words beside it say. */
export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
