"""Learning from games the search plays against itself: nets (`net`, needs torch) and linear weights (`linear`)."""
