"""Programs that are changed in a way of which one knows what it does to races: is that what the engines say?"""
