"""The measures of a duty sheet on A4 paper, in millimetres."""

WIDTH, HEIGHT, MARGIN = 210.0, 297.0, 12.0
HEAD = 17.0  # date and subtitle
FOOT = 44.0  # the hint and the large box
INNER = WIDTH - 2 * MARGIN
COLUMNS = (74.0, 16.0, 22.0, 30.0, 44.0)  # place, amount, and the three boxes
LOW, HIGH = 3.6, 8.0  # lines of one page are between these heights
ON_MANY_PAGES = 5.5
LETTER = 0.6  # height of a font in lines
SENTENCE = 4.4  # height of a line across the page
IN_A_LINE = 34  # letters of a name that surely fit into one line of the first column, about
IN_A_SENTENCE = 100  # likewise, in a line across the page


def line_height(lines: int, sentence: int) -> float:
    """The height of a line of the table: the largest with which all fit on one page, if they can.

    `sentence` is the number of lines of the note, and of those that name the places which get nothing.
    """
    fits = (HEIGHT - 2 * MARGIN - HEAD - FOOT - sentence * SENTENCE) / lines
    return min(fits, HIGH) if fits >= LOW else ON_MANY_PAGES
