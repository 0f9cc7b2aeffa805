/** What the team keeps to itself. */
export const INTERNAL_POSTS = `
# Which metrics do we look at on Mondays?
internal | in_progress | 4 | reporting
We look at sign-ups and forget who stays. Proposal: weekly active teams, share of teams that plan more than a week ahead, answers within a day on support.
> [Priya] Yes to the last. Median, please, not average: one forgotten ticket ruins the average.
> [Jonas] Can we drop page views for good?
>> [Maya] Dropped.

# Move search to its own service?
internal | under_review | 3 | search, performance
Indexing attachments will double the size of the database. Options: keep it inside and partition, or a separate index that can be rebuilt at any time.
> [Samuel] Keep it inside as long as a rebuild takes under an hour. One thing less to run at night.
>> [Jonas] It takes eleven minutes for our largest customer. OK, inside it stays, for this year.
> [Aiko] The apps don't care, as long as the API doesn't change.

# On-call: two weeks of sleep data
internal | open | 5 |
Seven pages at night in two weeks, six of them the same disk alarm. Let's fix the alarm before it fixes us.
> [Samuel] Alarm threshold raised, and a cleanup job runs every hour now. Zero pages since Tuesday.
>> [Jonas] I slept. Thank you.

# Support replies: tone guide
internal | complete | 4 |
New colleagues ask how we write. Short draft: say what happened, say what we do, say when we write again. No "we value your feedback".
> [Maya] Add: say sorry once, and mean it.
> [Tomás] And link to the post here, so people see that it's tracked.
! [Priya] It's in the handbook, two pages, with ten examples.

# Price change in autumn
internal | under_review | 6 | billing
Storage costs have doubled. Raise the Business plan by one euro, keep the small plan, keep existing customers on their price for a year.
> [Priya] If we tell them early and plainly it's fine. What hurts is the surprise.
> [Samuel] We could also stop converting every video into five sizes. That's a third of the bill.
>> [Maya] Do that first, then we look again.
> [Jonas] Three sizes of video are enough, I checked what is really played.

# Retire the old mobile API
internal | planned | 3 | api, mobile
Version 1 is used by 0.8 percent of the phones, and by a third of the code.
> [Aiko] These are phones that cannot update any more. Let us show them the website instead of an error.
> [Samuel] I can serve v1 from v2 for the ten calls that they really use.
>> [Aiko] Even better.

# Hiring: second support person
internal | in_progress | 4 |
Priya answers 60 conversations a day and still finds bugs before our monitoring does. This isn't sustainable, and she will never say so.
> [Priya] She says so now.
> [Jonas] I'll take Thursday afternoons in support until then, it's good for me anyway.

# Offsite: Porto or Gothenburg?
internal | complete | 6 |
Vote by Friday.
> [Tomás] Porto. I know a place.
> [Aiko] Gothenburg has trains.
>> [Maya] Porto has Tomás's place.
> [agent] Six votes: Porto 4, Gothenburg 2. The earliest week in which nobody is away is the second of next month.

# Security review before the forms feature
internal | planned | 5 | permissions
Public forms accept input from anybody. Threats: spam, uploads, links in mails to our own users, guessing of status links.
> [Samuel] Status links: 128 random bits, no listing, rate limit per address.
> [Jonas] Uploads from forms go to a separate bucket and are never shown inline.
>> [Samuel] And no HTML in mails from forms, plain text only.

# Dependency diet
internal | open | 2 | performance
We ship 412 packages to draw a board. I think we need about 60.
> [Tomás] The date picker alone brings 31.
> [Jonas] I'd happily write a date picker. Said nobody, ever. But I would.
> [Samuel] 412 is 380 now. It's a start.

# Customer interviews: notes of this month
internal | open | 3 |
Ten calls. Three themes: planning by the week (7 of 10), guests (5), "where did my task go" (4). Raw notes are in the shared folder.
> [Maya] "Where did my task go" is undo plus history plus search. We keep solving thirds of it.
> [Tomás] I'd like to watch two people do a weekly planning, not hear about it.

# Status page wording
internal | complete | 2 |
During the outage we wrote "degraded performance" while nothing worked. People notice.
> [Priya] They quoted it to me for days.
! [Maya] New rule: we write what a customer sees, in their words. "Boards do not load" instead of "degraded performance".

# Trial: let an agent sort incoming posts
internal | in_progress | 5 | automation
It reads new posts, proposes tags, finds likely duplicates and writes a private note. A person decides. Let's see for a month.
> [Priya] First week: 41 proposals, 36 right, 4 arguable, 1 funny (it merged "dark mode" with "Darkroom booking").
> [agent] I have learned to compare more than the first four letters.
>> [Tomás] It has humour now?
>>> [Priya] I wrote that one for it.

# Translations: who checks the checkers?
internal | open | 2 | localization
Polish was great because five people cared. For Arabic we know nobody in the team who reads it.
> [Maya] Pay two freelancers, let them review each other.
> [Samuel] And a screenshot of every page with the new language on each release, so that layout faults are seen by somebody who knows.
`;
