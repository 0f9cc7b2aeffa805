/** Owns what the palette finds on the server: posts and people whose text or name has what was typed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { MessageSquareText, User } from 'lucide-react';
import { request } from '../api/request.ts';
import { useSession } from '../api/session.ts';
import { useSettledText } from '../ui/use-settled-text.ts';

const MOST = 5;
const SHORTEST = 2;

/** Something of the server that the palette leads to. */
export interface Found {
  readonly to: string;
  readonly title: string;
  readonly about: string;
}

/** A few posts and people; whoever may not read them, or has no such screen, finds none. */
export function useFound(text: string): {
  readonly posts: readonly Found[];
  readonly people: readonly Found[];
} {
  const { rail, organization } = useSession();
  const asked = useSettledText(text.trim());
  const isEnough = asked.length >= SHORTEST;
  const posts = useQuery({
    queryKey: ['posts', 'palette', asked],
    queryFn: async ({ signal }) => {
      const query = { search: asked, limit: MOST };
      const found = await request('GET /api/v1/inbox/posts', { query, signal });
      return found.map(({ id, title, boardName }) => ({
        to: `/feedback/inbox/${encodeURIComponent(id)}`,
        title,
        about: boardName,
      }));
    },
    enabled: isEnough && rail.includes('feedback'),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const people = useQuery({
    queryKey: ['members', 'palette', asked],
    queryFn: async ({ signal }) => {
      const path = { orgId: organization.id };
      const query = { text: asked, limit: MOST };
      const found = await request('GET /api/organizations/{orgId}/members', { path, query, signal });
      return found.members.map(({ id, name, email }) => ({
        to: `/organization/members/${encodeURIComponent(id)}`,
        title: name,
        about: email ?? '',
      }));
    },
    enabled: isEnough && rail.includes('organization'),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!isEnough) return { posts: [], people: [] };
  return { posts: posts.data ?? [], people: people.data ?? [] };
}

/** What was found, under a heading; the server decided that it fits, so that each is worth what was typed. */
export function FoundGroup({
  heading,
  found,
  text,
  onOpen,
}: {
  readonly heading: 'Posts' | 'People';
  readonly found: readonly Found[];
  readonly text: string;
  readonly onOpen: (to: string) => void;
}) {
  if (found.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {found.map(({ to, title, about }) => (
        <Command.Item
          key={to}
          value={`${heading} ${title} ${to} ${text}`}
          onSelect={() => onOpen(to)}
          className="palette-item"
        >
          {heading === 'Posts' ? <MessageSquareText /> : <User />}
          <bdi className="truncate">{title}</bdi>
          <span className="faint truncate">{about}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
