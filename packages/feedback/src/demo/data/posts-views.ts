/** What people wish for in views: calendar, timeline, boards, lists, search and the way things look. */
export const VIEW_POSTS = `
# Dark mode
features | complete | 125 | accessibility
I plan at night, after the kids are asleep. Harbor is a lighthouse pointed at my face.
> Follow the system setting please, no separate switch to forget.
>> Both. I want dark in Harbor and light everywhere else.
> True black for OLED phones would be the cherry on top.
> Please check the tag colors, in most apps the dark blue becomes unreadable.
>> [Tomás] We made a second set of tag colors for this, measured for contrast.
> [later] My eyes say thank you.
> [later] Charts in reports are still white boxes. Otherwise excellent.
>> [Tomás, later] Fixed yesterday, reload once.
! [Tomás] Dark mode follows your system, or you choose it in your profile. Contrast is at least 4.5 to 1 everywhere, tags included.

# Night theme with less contrast
features | open | 1 | accessibility
White text on near black makes the letters glow for me (astigmatism). A softer grey theme would help.
> Same problem. "Dim" in other apps is perfect.
> [Tomás] Thank you for explaining why, that helps more than "make it greyer". I'll try a dim palette.
> Would test it happily.
& Dark mode

# Timeline view
features | complete | 113 | timeline
Boards answer "what is going on". My boss asks "when is it done". For that I draw bars in a slide deck, every single week.
> Zoom from days to quarters, please.
> Print it on one page. My boss prints.
>> Mine laminates.
> Group by person, so that I see who is on holiday under three bars.
>> [Maya] Grouping by person, tag or project is in the first version.
> [later] Deleted the slide deck. That felt good.
! [Maya] The timeline is in every project since version 4. Drag bars to move them, drag the ends to stretch them, zoom with plus and minus.

# Export the timeline as an image or PDF
features | in_progress | 32 | timeline, export
See title. For board meetings and for the client who "doesn't do logins".
> A4 and A3 landscape. Screenshots get blurry when the beamer is old.
> SVG, then I can put our logo on it.
>> [Tomás] SVG and PDF come out of the same code, so you will get both.
! [Tomás] We are on it: PDF (A4, A3, letter) and SVG, with the range you see on screen.
& Timeline view

# Week numbers in the calendar
features | complete | 43 | calendar, localization
In Sweden nobody says "the twelfth of August", we say week 33. Without the numbers I count on my fingers.
> Same for Denmark and Germany. KW 33!
> ISO weeks please, the US count gives other numbers.
>> [Jonas] ISO when your week starts on Monday, the US count when it starts on Sunday. Should be right for nearly everybody.
! [Jonas] Switch them on in your profile under "Calendar". They show in the date picker too.

# Start the week on Monday
features | complete | 87 | calendar, localization
Or Saturday, for our colleagues in Cairo. Sunday is wrong for most of the planet.
> It's the first thing I looked for in the settings, the day we signed up.
> Per person or per workspace? We're spread over three continents, so per person.
! [Maya] Per person: Monday, Saturday or Sunday. New accounts take it from their region.

# Calendar should show tasks of all my projects
features | complete | 53 | calendar
One calendar, all my tasks, colored by project. Currently I open seven calendars in seven tabs.
> Seven tabs gang.
> With checkboxes for the projects on the side.
! [Tomás] "My calendar" in the left bar. Choose the projects on the right side, it remembers them.

# Two months side by side
features | open | 4 | calendar
At the end of a month I only see a few days of the next. Planning ahead is page up, page down, page up.
> Or scroll continuously instead of flipping pages?
>> Continuous scroll, yes. The wall calendar metaphor can go.
> School holidays always cross the month. Yes please.

# Show the done tasks in the calendar, but faded
features | open | 7 | calendar, quick win
They disappear as soon as they're ticked. At the end of the week my calendar says that I did nothing.
> Psychologically important!
> [Tomás] You are right, and it's a small change. Marking it as a quick win.
> Struck through and faded, like on paper.

# Swimlanes
features | under_review | 23 | boards
Rows as well as columns. Rows by client for us.
> Rows by person during stand-up. Would change our mornings.
> Collapsible, otherwise the board gets endless.
> [Tomás] We have a sketch that groups any board by owner or tag. Does "by project" matter to somebody?
>> Yes, on the portfolio board.
> By due week would be my row. Is that crazy?

# Compact cards
features | complete | 31 | boards
I have a 13 inch laptop and see nine cards. Nine! Of sixty!
> Title only, everything else on hover.
> Remember it per board, large cards are good where we have images.
> [later] From nine cards to thirty-one.
! [Tomás] Three sizes per board now: full, compact and title only. The button is next to the filter.

# Cover images on cards
features | complete | 17 | boards, files
We're a ceramics studio. A picture says which vase, a title says "vase 14".
> Vase 14 is my favourite.
> First image attached = cover, no extra click.
>> [Jonas] That's how we built it, plus "use another one" and "none".
! [Jonas] Cards show their first image. Choose another or none in the card's menu.

# Color the whole card, not only the tag
features | open | 6 | boards
From two metres away I cannot see a tag that is 8 pixels tall. We have the board on a TV.
> TV here too. A "wall mode" with large type would be wonderful.
> Color by owner would be nice as well.
> Only the left edge maybe? Whole cards in red give me stress.
>> [Tomás] A wide left edge is what I would try first.

# Full-screen board for a TV on the wall
features | open | 8 | boards
Large type, no sidebar, refreshes by itself, does not log out every two weeks.
> Logging out over the weekend is the real problem. Every Monday someone climbs on a chair.
>> [me] It's me. I climb on the chair.
> [Priya] The chair story made our stand-up today. A read-only display link is being discussed.
> Cycle through three boards every minute and it replaces our lobby slideshow.

# Save a filter as a view
features | planned | 63 | search
I filter "due this week, not done, owner is me or Luisa, without tag waiting" five times a day. By hand.
> And share it with the team.
> And pin it to the sidebar.
> And make it the start page.
>> [Maya] And, and, and: yes to the first three, thinking about the fourth.
! [Maya] Planned for this summer. A saved filter has a name, can be shared and sits in the sidebar.

# Search inside comments and attachments
features | in_progress | 45 | search, files
I know that someone wrote the door code into a comment. Search only looks at titles and descriptions.
> Please also PDF text. Half of our knowledge is in PDFs.
>> Scans too? That would need OCR.
>>> [Jonas] Text in PDFs yes, scans not yet.
> [Priya, private] Please tell people not to write door codes into comments...
! [Jonas] Comments are being indexed now, attachments follow. You will see a filter "in: comments" when your workspace is ready.

# Search with typos
features | open | 12 | search
Searching "recieve" finds nothing. I know it's my fault.
> Same for umlauts, "Muller" should find "Müller".
>> [Jonas] Umlauts and accents work since last month. Typos are harder, we're looking at it.
> It's "entrepeneur" for me. Every time.

# Jump to anything with the keyboard
features | complete | 38 | keyboard, search
Ctrl+K, three letters, enter. I do not want to own a mouse.
> Recently opened first, please.
> And commands: "new task in...", "assign to...".
! [Jonas] Ctrl+K (or Cmd+K) opens it. Recent things first, commands after a greater-than sign.

# Filter by "no date" and "no owner"
features | complete | 20 | search, quick win
The most dangerous tasks are the ones without a date. I can't find them.
> Found 112 orphans once with an export and a spreadsheet.
> [later] Found two from the year before I joined.
! [Tomás] Both are in the filter menu now, and in search as "no:date" and "no:owner".

# Sort a list by two columns
features | open | 3 |
By project, then by date. Sorting by one thing shuffles the other.
> Shift+click on the second header, spreadsheets have taught everyone.
> By owner then date for our Monday meeting. Same wish.

# List view with inline editing
features | complete | 34 | keyboard
A table where I can tab through the cells and type. Opening a dialog for each date is painful for planning a whole quarter.
> Paste from a spreadsheet into it!!
>> [Jonas] Pasting rows works, give it a try with a tab-separated list.
>>> OK that is magic.
! [Jonas] The list view edits in place: enter to edit, tab to the next cell, paste rows from any spreadsheet.

# Portfolio: all projects on one page with their state
features | planned | 49 | reporting
Green, yellow, red, next milestone, owner. That's the meeting.
> If the color is calculated, nobody will believe it. If it's set by hand, nobody will update it. Good luck :)
>> Set by hand with a date next to it. A red from March looks suspicious enough.
>>> [Maya] That is a really good idea, thank you.
> Export as a slide, and I get my Thursday afternoons back.
! [Maya] Planned. One line per project: state set by its owner (with its age), next milestone, open and overdue tasks.

# Burndown chart
features | closed | 4 | reporting
For our sprints.
> A cumulative flow diagram tells more.
! [Maya] We're not going to build sprint reports, Harbor is for teams that plan without sprints. The API gives all the dates that a chart needs, and the export of a project too.

# Map view for tasks with an address
features | open | 7 |
We repair heating systems. Where a job is decides who takes it.
> Gardening company here. We'd pay extra for it.
> Would a link to a map from an address in the description help already?
>> [me] A little. Seeing all of Tuesday's jobs as pins is what saves fuel.
> Chimney sweep. Please. I beg you.

# Favourites in the sidebar
features | complete | 16 |
We have 46 projects. I use four.
> Drag to order them.
> [later] Four stars, 42 projects out of sight. Bliss.
! [Tomás] Star a project and it moves to the top of your sidebar, in the order that you like.

# Bigger text
features | complete | 9 | accessibility
Zooming the browser breaks the sidebar on my screen. Please respect the font size that I've set.
> Low vision user here. Thank you for asking for this!
> [Tomás] It was our fault: sizes were in pixels. We're replacing them all.
! [Tomás] All sizes follow your browser's font size now, tested up to 200 percent.

# Emoji or icon for each project
features | complete | 11 | quick win
All my projects start with "Client -". A little picture would help me tell them apart.
> Frivolous and necessary.
> [later] Our accountant is a fox now.
! [Tomás] Done, including your own 64 pixel images.

# A Gantt chart, please
features | complete | 12 | timeline
Nothing exotic, the classic one. Bars, dates, today's line.
> Isn't that the timeline they talk about in the other post?
>> [me] Probably, yes. I only knew the old word for it.
= Timeline view
`;
