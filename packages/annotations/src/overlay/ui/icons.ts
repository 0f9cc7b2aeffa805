/** Owns the drawings of the overlay, as paths on a 16 by 16 field. */

/** Paths by meaning. */
export const ICONS = {
  inspect: 'M2.5 2.5l4 10.5 1.8-4.7L13 6.5zM9 9l4 4',
  notes: 'M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l7.5 5L5 13z',
  settings: 'M2 4.5h6M11 4.5h3M2 11.5h3M8 11.5h6M9.5 3v3M6.5 10v3',
  hide: 'M4 6.5L8 10.5l4-4',
  show: 'M4 9.5L8 5.5l4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.5 4.5l2 2',
  reopen: 'M3 8a5 5 0 1 0 1.8-3.8M3 2.5V5h2.5',
  send: 'M2.5 8h10M9 4.5L12.5 8 9 11.5',
  back: 'M13 8H3.5M7 4.5L3.5 8 7 11.5',
  diff: 'M8 2.5v6M5 5.5h6M5 12.5h6',
  grip: 'M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01',
  pending: 'M8 4.5V8l2.5 1.5M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  acknowledged:
    'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  resolved: 'M3 8.5L6.5 12 13 4.5',
  dismissed: 'M3.5 8h9',
} as const;
