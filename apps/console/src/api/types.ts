/** Owns the names of parts of answers that more than one screen uses, and the topics of the live stream. */
import type { Session, Tool } from './schema.ts';

/** What a tool does at worst. */
export type Effect = Tool['effect'];

/** The names of the entries of the rail, which the server sends as far as the person has their tools. */
export type RailName = Session['rail'][number];

/** What the stream tells about. */
export type Topic =
  | 'annotations'
  | 'posts'
  | 'tasks'
  | 'agents'
  | 'questions'
  | 'connections'
  | 'virtual-mcps'
  | 'events'
  | 'deliveries'
  | 'calls'
  | 'members'
  | 'keys'
  | 'sessions'
  | 'organization'
  | 'schedules'
  | 'memory'
  | 'dashboards'
  | 'projects';
