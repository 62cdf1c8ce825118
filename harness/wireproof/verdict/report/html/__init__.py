"""Reports as self-contained pages of HTML: one template for all, with shared components.

A page loads nothing from elsewhere: styles and script are in it. Text of testees, captures and files is
escaped and made printable; only `Markup` is taken as it is.
"""
